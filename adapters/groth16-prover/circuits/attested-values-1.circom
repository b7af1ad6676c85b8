pragma circom 2.1.6;

include "attested-values.circom";

// The request and at most one value; 2^11 constraints are not exceeded.
component main {public [root, request, claim]} = AttestedValues(1, 9);
