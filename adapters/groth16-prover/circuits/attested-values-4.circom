pragma circom 2.1.6;

include "attested-values.circom";

// The request and up to four values; 2^12 constraints are not exceeded.
component main {public [root, request, claim]} = AttestedValues(4, 9);
