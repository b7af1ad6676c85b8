pragma circom 2.1.6;

// Proves: "the holder of the BabyJubJub key (ax, ay) signed the root of a tree that holds every one of these claims". A claim
// is 248 bits of a keccak-256 digest that the contract recomputes from the journal: the first says which request was made
// and when, the others say which value a query has. Nothing but claims and the key is public.
//
// Tree: nine claims and a salt make a leaf, nine leaves a node, nine nodes the root. The depth is fixed, so a node is never
// taken for a leaf. Where in its group a claim or a node stands does not matter, so there are no indices.

include "circomlib/circuits/poseidon.circom";
include "circomlib/circuits/eddsaposeidon.circom";
include "circomlib/circuits/babyjub.circom";

// `element` is one of `group`.
template Among(SIZE) {
    signal input element;
    signal input group[SIZE];

    signal product[SIZE];
    product[0] <== element - group[0];
    for (var i = 1; i < SIZE; i++) product[i] <== product[i - 1] * (element - group[i]);
    product[SIZE - 1] === 0;
}

// `claim` stands in the tree with this root. A claim of 0 marks a slot that is not used: anything satisfies it.
template Member(CLAIMS, ARITY, DEPTH) {
    signal input claim;
    signal input root;
    signal input salt;
    signal input claims[CLAIMS];
    signal input groups[DEPTH][ARITY];

    component inLeaf = Among(CLAIMS);
    inLeaf.element <== claim;
    inLeaf.group <== claims;
    component leaf = Poseidon(CLAIMS + 1);
    leaf.inputs[0] <== salt;
    for (var i = 0; i < CLAIMS; i++) leaf.inputs[i + 1] <== claims[i];

    component inGroup[DEPTH];
    component node[DEPTH];
    signal below[DEPTH + 1];
    below[0] <== leaf.out;
    for (var level = 0; level < DEPTH; level++) {
        inGroup[level] = Among(ARITY);
        inGroup[level].element <== below[level];
        inGroup[level].group <== groups[level];
        node[level] = Poseidon(ARITY);
        node[level].inputs <== groups[level];
        below[level + 1] <== node[level].out;
    }
    claim * (below[DEPTH] - root) === 0;
}

template AttestedValues(SLOTS, CLAIMS, ARITY, DEPTH) {
    signal input ax;
    signal input ay;
    signal input claim[SLOTS];

    signal input root;
    signal input r8x;
    signal input r8y;
    signal input s;
    signal input salt[SLOTS];
    signal input claims[SLOTS][CLAIMS];
    signal input groups[SLOTS][DEPTH][ARITY];

    // circomlib's verifier takes both points for points of the curve and does not check it.
    component keyOnCurve = BabyCheck();
    keyOnCurve.x <== ax;
    keyOnCurve.y <== ay;
    component nonceOnCurve = BabyCheck();
    nonceOnCurve.x <== r8x;
    nonceOnCurve.y <== r8y;

    var DOMAIN = 0x63726564656e63652e61747465737465642d76616c7565732e7631; // "credence.attested-values.v1"
    component message = Poseidon(2);
    message.inputs[0] <== DOMAIN;
    message.inputs[1] <== root;

    component signature = EdDSAPoseidonVerifier();
    signature.enabled <== 1;
    signature.Ax <== ax;
    signature.Ay <== ay;
    signature.R8x <== r8x;
    signature.R8y <== r8y;
    signature.S <== s;
    signature.M <== message.out;

    component member[SLOTS];
    for (var i = 0; i < SLOTS; i++) {
        member[i] = Member(CLAIMS, ARITY, DEPTH);
        member[i].claim <== claim[i];
        member[i].root <== root;
        member[i].salt <== salt[i];
        member[i].claims <== claims[i];
        member[i].groups <== groups[i];
    }
}

// The request and eight values to a proof, 9 * 9 * 9 claims to a tree; 2^14 constraints are not exceeded.
component main {public [ax, ay, claim]} = AttestedValues(9, 9, 9, 2);
