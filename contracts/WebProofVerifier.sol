// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {VerifyingKey} from "./VerifyingKey.sol";

/// @title What verifiers of compressed web proofs have in common
/// @notice Accepts a journal when an attester signed every value in it: the attester's key signed the root of a tree, and a
/// Groth16 proof shows that the tree holds the request and the values. Who may attest for the notary that a journal names is
/// for the contracts below to say; their guest ids differ, so a seal for one is never one for another.
/// @dev A seal is no nullifier: a proof can be remade into another valid one, and nothing binds a caller or a chain. Who must
/// not accept a journal twice remembers its digest; who wants fresh data checks `tlsTimestamp`.
abstract contract SealVerifier {
    /// @notice True if the keys come from the development ceremony, whose randomness is public: anyone can forge seals for them.
    bool public constant DEVELOPMENT = VerifyingKey.DEVELOPMENT;
    /// @notice As many values as one journal holds.
    uint256 public constant MAX_VALUES = 8;

    error UnknownSelector(bytes4 selector);
    error UnknownProgram(bytes32 imageId);
    error JournalDigestMismatch(bytes32 expected, bytes32 actual);
    error NonCanonicalSeal();
    error NonCanonicalJournal(uint256 offset);
    error TooManyQueries(uint256 queries);
    error AmbiguousQuery(uint256 index);
    error KindsMismatch(uint256 queries, uint256 kinds);
    error UnknownKind(uint256 index, uint8 kind);
    error FingerprintMismatch(bytes32 inJournal, bytes32 ofKey);
    error TimestampOutOfRange(uint256 tlsTimestamp);
    error ExtractionHashMismatch(bytes32 inJournal, bytes32 ofQueries);
    error AttesterKeyNotOnCurve();
    error RootOutOfField();
    error RootNotSigned();
    error InvalidProof();
    /// The call ran out of gas before the proof was checked. It says nothing about the proof: call again with more gas.
    error InsufficientGas();
    /// The key is the development one and the chain is no test chain. See `_allowedDevelopmentKey`.
    error DevelopmentKeyRefused(bytes32 guestId, uint256 chainId);

    /// @param proof Groth16 points A, B, C as the precompiles take them
    /// @param attesterKey secp256k1 key of the notary or its delegate, x and y
    /// @param root root of the tree of values
    /// @param signatureR r of the attester's signature over the root; `signatureS` and `signatureV` likewise
    /// @param requestBody keccak-256 of the body of the request, zero if it has none
    /// @param queries what was extracted, in the journal's order
    /// @param kinds one byte a query: 1 a JSON string, 2 a uint256, 3 the JSON text of any other value
    /// @param journal the public outputs
    struct Seal {
        uint256[8] proof;
        uint256[2] attesterKey;
        uint256 root;
        bytes32 signatureR;
        bytes32 signatureS;
        uint8 signatureV;
        bytes32 requestBody;
        string[] queries;
        bytes kinds;
        bytes journal;
    }

    uint256 private constant R = 21888242871839275222246405745257275088548364400416034343698204186575808495617;
    uint256 private constant Q = 21888242871839275222246405745257275088696311157297823662689037894645226208583;
    uint256 private constant SECP256K1_P = 0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f;
    uint256 private constant SECP256K1_HALF_N = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0;
    uint256 private constant FIRST_CLAIM = 2; // public inputs: root, request, claims about values
    uint256 private constant JOURNAL_HEAD = 5;
    uint256 private constant PAIRING_GAS = 45_000 + 4 * 34_000; // EIP-1108, four pairs
    uint256 private constant CALL_GAS = 1_000; // more than it takes to start a call
    bytes32 private constant ROOT_DOMAIN = keccak256("credence.attested-values.v3");
    bytes21 private constant QUERY_PREFIX = "response.bodyjmespath";

    constructor() {
        if (DEVELOPMENT && !_isTestChain(block.chainid) && _allowedDevelopmentKey() != VerifyingKey.GUEST_ID) {
            revert DevelopmentKeyRefused(VerifyingKey.GUEST_ID, block.chainid);
        }
    }

    /// The guest id of a development key that may be deployed on any chain. Override it in a derived contract to accept that
    /// anyone can forge seals for the key.
    function _allowedDevelopmentKey() internal pure virtual returns (bytes32) {
        return bytes32(0);
    }

    /// Local chains, and the public test networks of Ethereum, Base, OP and Arbitrum.
    function _isTestChain(uint256 chainId) private pure returns (bool) {
        return chainId == 31337 // Anvil, Hardhat
            || chainId == 1337 // Ganache, geth --dev
            || chainId == 11155111 // Sepolia
            || chainId == 17000 // Holesky
            || chainId == 560048 // Hoodi
            || chainId == 84532 // Base Sepolia
            || chainId == 11155420 // OP Sepolia
            || chainId == 421614; // Arbitrum Sepolia
    }

    /// @notice Names the program whose seals are accepted, for requests without a body.
    function GUEST_ID() public pure virtual returns (bytes32);

    /// @notice The first four bytes of every seal for this verifier.
    function SELECTOR() public pure returns (bytes4) {
        return bytes4(GUEST_ID());
    }

    /// @notice The guest id for requests with a body, `requestBody` being its keccak-256. The journal does not show the body, so
    /// a consumer says which one it means by the id that it passes to `verify`.
    function guestIdFor(bytes32 requestBody) external pure returns (bytes32) {
        return requestBody == 0 ? GUEST_ID() : _program(_requestDomain(GUEST_ID(), 0), requestBody);
    }

    /// The first word of the claim that an attester signs about a request, for `imageId`; reverts for an unknown one.
    function _requestDomain(bytes32 imageId, bytes32 requestBody) internal pure virtual returns (bytes32);

    /// Reverts unless the key with the fingerprint `attester` may attest what the notary `notary` saw; returns the second word of
    /// the claim, which names the notary if it is not the attester.
    function _notaryWord(bytes32 notary, bytes32 attester) internal view virtual returns (bytes32);

    /// The guest id of the claims of a domain, for requests with this body.
    function _program(bytes32 domain, bytes32 requestBody) internal pure returns (bytes32) {
        return keccak256(abi.encode(VerifyingKey.GUEST_ID, domain, requestBody));
    }

    /// @notice Reverts unless `seal` proves the journal whose SHA-256 is `journalDigest`.
    /// @param imageId `GUEST_ID`, or another id of this contract if a body or hidden parts are accepted
    function verify(bytes calldata seal, bytes32 imageId, bytes32 journalDigest) external view {
        if (seal.length < 4) revert NonCanonicalSeal();
        if (bytes4(seal[:4]) != SELECTOR()) revert UnknownSelector(bytes4(seal[:4]));
        Seal memory opened = abi.decode(seal[4:], (Seal));
        if (keccak256(abi.encode(opened)) != keccak256(seal[4:])) revert NonCanonicalSeal();
        bytes32 domain = _requestDomain(imageId, opened.requestBody);
        bytes32 digest = sha256(opened.journal);
        if (digest != journalDigest) revert JournalDigestMismatch(journalDigest, digest);

        uint256 count = opened.queries.length;
        if (count > MAX_VALUES) revert TooManyQueries(count);
        (bytes memory key, uint256 slots) = _keyFor(count);
        uint256[] memory inputs = new uint256[](FIRST_CLAIM + slots);
        bytes32 notary = _root(opened, inputs);
        _claims(opened, domain, notary, inputs);
        if (!_groth16(opened.proof, key, inputs)) revert InvalidProof();
    }

    /// The key of the smallest circuit that holds so many values, and how many it holds. Slots that are not used stay zero.
    function _keyFor(uint256 count) private pure returns (bytes memory key, uint256 slots) {
        if (count <= 1) return (VerifyingKey.UP_TO_1, 1);
        if (count <= 4) return (VerifyingKey.UP_TO_4, 4);
        return (VerifyingKey.UP_TO_8, MAX_VALUES);
    }

    /// The attester may speak for the notary of the journal, and its key signed the root.
    function _root(Seal memory opened, uint256[] memory inputs) private view returns (bytes32 notary) {
        (uint256 x, uint256 y) = (opened.attesterKey[0], opened.attesterKey[1]);
        bytes32 attester = sha256(abi.encodePacked(uint8(2 + (y & 1)), x));
        notary = _notaryWord(bytes32(_word(opened.journal, 0)), attester);

        // The fingerprint holds no more of y than its lowest bit. With y left to choose, an address that `ecrecover` gives could
        // be met by trying half as many bits as it has.
        if (!_onSecp256k1(x, y)) revert AttesterKeyNotOnCurve();

        // A root plus the field's order would be the same input of the proof.
        if (opened.root >= R) revert RootOutOfField();
        bytes32 message = keccak256(abi.encodePacked(ROOT_DOMAIN, opened.root));
        address signer = ecrecover(message, opened.signatureV, opened.signatureR, opened.signatureS);
        if (signer == address(0) || signer != address(uint160(uint256(keccak256(abi.encodePacked(x, y)))))) {
            revert RootNotSigned();
        }
        if (uint256(opened.signatureS) > SECP256K1_HALF_N) revert RootNotSigned();
        inputs[0] = opened.root;
    }

    /// y^2 = x^3 + 7, with both coordinates in the field.
    function _onSecp256k1(uint256 x, uint256 y) private pure returns (bool) {
        uint256 p = SECP256K1_P;
        return x < p && y < p && mulmod(y, y, p) == addmod(mulmod(mulmod(x, x, p), x, p), 7, p);
    }

    /// Recomputes from the journal what the attester signed, and refuses a journal that is not canonical ABI.
    function _claims(Seal memory opened, bytes32 domain, bytes32 notary, uint256[] memory inputs) private pure {
        bytes memory journal = opened.journal;
        uint256 count = opened.queries.length;
        if (opened.kinds.length != count) revert KindsMismatch(count, opened.kinds.length);
        if (journal.length < 32 * (JOURNAL_HEAD + count)) revert NonCanonicalJournal(journal.length);

        uint256 tail = 32 * (JOURNAL_HEAD + count);
        bytes32 method;
        bytes32 url;
        (method, tail) = _text(journal, 1, tail);
        (url, tail) = _text(journal, 2, tail);
        uint256 timestamp = _word(journal, 3);
        if (timestamp >= 2 ** 64) revert TimestampOutOfRange(timestamp);
        bytes memory request = abi.encode(domain, notary, method, url, timestamp, opened.requestBody);
        inputs[1] = uint256(keccak256(request)) >> 8;

        bytes memory packed;
        for (uint256 i = 0; i < count; i++) {
            if (_hasPrefixText(opened.queries[i])) revert AmbiguousQuery(i);
            bytes memory query = abi.encodePacked(QUERY_PREFIX, opened.queries[i]);
            packed = abi.encodePacked(packed, query);
            uint8 kind = uint8(opened.kinds[i]);
            bytes32 value;
            if (kind == 2) value = bytes32(_word(journal, JOURNAL_HEAD + i));
            else if (kind == 1 || kind == 3) (value, tail) = _text(journal, JOURNAL_HEAD + i, tail);
            else revert UnknownKind(i, kind);
            inputs[FIRST_CLAIM + i] = uint256(keccak256(abi.encode(keccak256(query), uint256(kind), value))) >> 8;
        }
        if (tail != journal.length) revert NonCanonicalJournal(tail);
        bytes32 extractionHash = bytes32(_word(journal, 4));
        if (extractionHash != keccak256(packed)) revert ExtractionHashMismatch(extractionHash, keccak256(packed));
    }

    /// Two lists of queries could share an extraction hash if one of them contained the text that stands before each.
    function _hasPrefixText(string memory query) private pure returns (bool found) {
        uint256 length = bytes(query).length;
        if (length < 21) return false;
        bytes21 prefix = QUERY_PREFIX;
        assembly {
            let at := add(query, 32)
            let end := add(at, sub(length, 20))
            for {} lt(at, end) { at := add(at, 1) } {
                // The prefix fills the upper 21 bytes of its word.
                if iszero(shr(88, xor(mload(at), prefix))) {
                    found := 1
                    break
                }
            }
        }
    }

    function _word(bytes memory journal, uint256 index) private pure returns (uint256 word) {
        if (journal.length < 32 * (index + 1)) revert NonCanonicalJournal(32 * index);
        assembly {
            word := mload(add(add(journal, 32), mul(32, index)))
        }
    }

    /// The hash of the text that head word `index` points to, which must start at `tail`, and where the next one starts.
    function _text(bytes memory journal, uint256 index, uint256 tail)
        private
        pure
        returns (bytes32 hash, uint256 next)
    {
        if (_word(journal, index) != tail) revert NonCanonicalJournal(32 * index);
        if (tail + 32 > journal.length) revert NonCanonicalJournal(tail);
        uint256 length;
        assembly {
            length := mload(add(add(journal, 32), tail))
        }
        if (length > journal.length) revert NonCanonicalJournal(tail);
        next = tail + 32 + ((length + 31) & ~uint256(31));
        if (next > journal.length) revert NonCanonicalJournal(tail);
        uint256 padding;
        assembly {
            let start := add(add(journal, 64), tail)
            hash := keccak256(start, length)
            let used := and(length, 31)
            if used { padding := shl(mul(8, used), mload(add(journal, next))) }
        }
        if (padding != 0) revert NonCanonicalJournal(tail);
    }

    /// e(-A, B) * e(alpha, beta) * e(sum of inputs, gamma) * e(C, delta) == 1. The precompiles refuse what is not a point. A
    /// call gets at most 63/64 of the gas (EIP-150), so a precompile can run out of gas where this contract does not.
    function _groth16(uint256[8] memory proof, bytes memory key, uint256[] memory inputs)
        private
        view
        returns (bool ok)
    {
        if (proof[1] >= Q) return false;
        uint256[2] memory sum;
        uint256[4] memory scratch;
        ok = true;
        assembly {
            // Behind the length and alpha, beta, gamma and delta.
            let point := add(key, 480)
            mcopy(sum, point, 64)
            let input := add(inputs, 32)
            for { let end := add(input, mul(32, mload(inputs))) } and(ok, lt(input, end)) { input := add(input, 32) } {
                point := add(point, 64)
                let scalar := mload(input)
                if scalar {
                    mcopy(scratch, point, 64)
                    mstore(add(scratch, 64), scalar)
                    ok := staticcall(gas(), 7, scratch, 96, scratch, 64)
                    mcopy(add(scratch, 64), sum, 64)
                    if ok { ok := staticcall(gas(), 6, scratch, 128, sum, 64) }
                }
            }
        }
        // The points are those of the key, so only gas can be missing.
        if (!ok) revert InsufficientGas();

        uint256[24] memory pairs;
        pairs[0] = proof[0];
        pairs[1] = proof[1] == 0 ? 0 : Q - proof[1];
        bool enoughGas;
        assembly {
            mcopy(add(pairs, 64), add(proof, 64), 128) // B
            mcopy(add(pairs, 192), add(key, 32), 192) // alpha, beta
            mcopy(add(pairs, 384), sum, 64)
            mcopy(add(pairs, 448), add(key, 224), 128) // gamma
            mcopy(add(pairs, 576), add(proof, 192), 64) // C
            mcopy(add(pairs, 640), add(key, 352), 128) // delta
            mstore(scratch, 0)
            let available := gas()
            enoughGas := iszero(lt(sub(available, div(available, 64)), add(PAIRING_GAS, CALL_GAS)))
            ok := staticcall(gas(), 8, pairs, 768, scratch, 32)
        }
        if (!ok && !enoughGas) revert InsufficientGas();
        return ok && scratch[0] == 1;
    }
}

/// @title Verifies compressed web proofs that their own notary attested
/// @notice Accepts a journal when the notary whose fingerprint it names attested the request and every value in it. It has the
/// `verify` of RISC Zero's verifiers, so a contract written for their router can call it.
contract WebProofVerifier is SealVerifier {
    bytes32 private constant REQUEST_DOMAIN = keccak256("credence.request.v2");

    /// @inheritdoc SealVerifier
    /// @dev A hash of the verifying keys.
    function GUEST_ID() public pure override returns (bytes32) {
        return VerifyingKey.GUEST_ID;
    }

    function _requestDomain(bytes32 imageId, bytes32 requestBody) internal pure override returns (bytes32) {
        bytes32 expected = requestBody == 0 ? VerifyingKey.GUEST_ID : _program(REQUEST_DOMAIN, requestBody);
        if (imageId != expected) revert UnknownProgram(imageId);
        return REQUEST_DOMAIN;
    }

    /// A notary speaks for itself alone.
    function _notaryWord(bytes32 notary, bytes32 attester) internal pure override returns (bytes32) {
        if (notary != attester) revert FingerprintMismatch(notary, attester);
        return 0;
    }
}
