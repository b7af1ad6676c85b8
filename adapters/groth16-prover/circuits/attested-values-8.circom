pragma circom 2.1.6;

include "attested-values.circom";

// The request and up to eight values; 2^13 constraints are not exceeded.
component main {public [root, request, claim]} = AttestedValues(8, 9);
