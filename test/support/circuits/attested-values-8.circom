pragma circom 2.1.0;

include "multiplier.circom";

component main = Multiplier(3);
