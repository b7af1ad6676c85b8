pragma circom 2.1.6;

// Proves: "the tree with this root holds this claim about a request and every one of these claims about values". A claim is
// 248 bits of a keccak-256 digest that the contract recomputes from the journal. The contract also checks who signed the root.
//
// Tree: nine claims and a salt make a leaf, nine leaves a group, the claim about the request and nine groups the root. The depth
// is fixed, so a leaf or a group is never taken for something else. Where among its nine a claim, a leaf or a group stands does
// not matter, so there are no indices.

include "circomlib/circuits/poseidon.circom";

// Zero if and only if `element` is one of `group`.
template Distance(SIZE) {
    signal input element;
    signal input group[SIZE];
    signal output out;

    signal product[SIZE];
    product[0] <== element - group[0];
    for (var i = 1; i < SIZE; i++) product[i] <== product[i - 1] * (element - group[i]);
    out <== product[SIZE - 1];
}

// `claim` stands in a leaf of one of `groups`. A claim of 0 marks a slot that is not used: zeros satisfy it.
template Member(SIZE) {
    signal input claim;
    signal input salt;
    signal input leaf[SIZE];
    signal input group[SIZE];
    signal input groups[SIZE];

    component inLeaf = Distance(SIZE);
    inLeaf.element <== claim;
    inLeaf.group <== leaf;
    inLeaf.out === 0;

    component leafHash = Poseidon(SIZE + 1);
    leafHash.inputs[0] <== salt;
    for (var i = 0; i < SIZE; i++) leafHash.inputs[i + 1] <== leaf[i];
    component inGroup = Distance(SIZE);
    inGroup.element <== leafHash.out;
    inGroup.group <== group;
    claim * inGroup.out === 0;

    component groupHash = Poseidon(SIZE);
    groupHash.inputs <== group;
    component inGroups = Distance(SIZE);
    inGroups.element <== groupHash.out;
    inGroups.group <== groups;
    claim * inGroups.out === 0;
}

template AttestedValues(SLOTS, SIZE) {
    signal input root;
    signal input request;
    signal input claim[SLOTS];

    signal input groups[SIZE];
    signal input salt[SLOTS];
    signal input leaf[SLOTS][SIZE];
    signal input group[SLOTS][SIZE];

    component rootHash = Poseidon(SIZE + 1);
    rootHash.inputs[0] <== request;
    for (var i = 0; i < SIZE; i++) rootHash.inputs[i + 1] <== groups[i];
    rootHash.out === root;

    component member[SLOTS];
    for (var i = 0; i < SLOTS; i++) {
        member[i] = Member(SIZE);
        member[i].claim <== claim[i];
        member[i].salt <== salt[i];
        member[i].leaf <== leaf[i];
        member[i].group <== group[i];
        member[i].groups <== groups;
    }
}
