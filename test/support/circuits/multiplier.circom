pragma circom 2.1.0;

// Small circuits under the names of the real ones, for a rehearsal of a ceremony.
template Multiplier(COUNT) {
    signal input a;
    signal input b[COUNT];
    signal output c[COUNT];
    for (var i = 0; i < COUNT; i++) c[i] <== a * b[i];
}
