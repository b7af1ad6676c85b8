// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// The `verify` of RISC Zero's verifiers and of WebProofVerifier: reverts unless the seal proves the journal.
interface IProofVerifier {
    function verify(bytes calldata seal, bytes32 imageId, bytes32 journalDigest) external view;
}

/// @title Example: a price feed fed by compressed web proofs
/// @notice Shows the checks that a consumer has to make itself after the verifier has accepted a journal: that it has the
/// types this contract reads, who attested it, what was asked, what was extracted, how fresh it is, that it is not used
/// twice, and that it does not put an older value in the place of a newer one.
/// @dev Each hidden byte of a URL stands as U+FFFD in the journal, so a pinned URL is always wholly visible. Headers of the request,
/// which can choose the representation, are not in the journal.
contract WebProofConsumer {
    IProofVerifier public immutable verifier;
    bytes32 public immutable guestId;
    bytes32 public immutable notaryKeyFingerprint;
    bytes32 public immutable extractionHash;
    bytes32 private immutable urlHash;
    uint256 public immutable maxAge;

    string public value;
    uint256 public provenAt;
    mapping(bytes32 journalDigest => bool) public used;

    event ValueProven(string value, uint256 tlsTimestamp);

    error WrongTypes();
    error UntrustedNotary(bytes32 fingerprint);
    error WrongMethod(string method);
    error WrongUrl(string url);
    error WrongExtraction(bytes32 extractionHash);
    error NotFresh(uint256 tlsTimestamp);
    error AlreadyUsed(bytes32 journalDigest);
    error Outdated(uint256 tlsTimestamp, uint256 provenAt);

    /// @param maxAge_ in seconds; also how far the notary's clock may be ahead of the chain's
    constructor(
        IProofVerifier verifier_,
        bytes32 guestId_,
        bytes32 notaryKeyFingerprint_,
        string memory url,
        bytes32 extractionHash_,
        uint256 maxAge_
    ) {
        verifier = verifier_;
        guestId = guestId_;
        notaryKeyFingerprint = notaryKeyFingerprint_;
        urlHash = keccak256(bytes(url));
        extractionHash = extractionHash_;
        maxAge = maxAge_;
    }

    /// @notice Takes over the one extracted value of `journal` when everything about it is as configured.
    function submit(bytes calldata seal, bytes calldata journal) external {
        bytes32 digest = sha256(journal);
        verifier.verify(seal, guestId, digest);

        (
            bytes32 fingerprint,
            string memory method,
            string memory url,
            uint256 tlsTimestamp,
            bytes32 extraction,
            string memory extracted
        ) = abi.decode(journal, (bytes32, string, string, uint256, bytes32, string));
        // The journal does not carry its types: where the proven value is an integer, `decode` would take it for an offset and
        // read some other part of the journal as text. Encoded again, only a journal of these types is the same.
        // Who reads integers and texts must also refuse an integer that is the offset of a text: the two could be exchanged.
        if (keccak256(abi.encode(fingerprint, method, url, tlsTimestamp, extraction, extracted)) != keccak256(journal)) {
            revert WrongTypes();
        }
        if (fingerprint != notaryKeyFingerprint) revert UntrustedNotary(fingerprint);
        if (keccak256(bytes(method)) != keccak256("GET")) revert WrongMethod(method);
        if (keccak256(bytes(url)) != urlHash) revert WrongUrl(url);
        if (extraction != extractionHash) revert WrongExtraction(extraction);
        if (tlsTimestamp + maxAge < block.timestamp || tlsTimestamp > block.timestamp + maxAge) {
            revert NotFresh(tlsTimestamp);
        }
        if (used[digest]) revert AlreadyUsed(digest);
        if (tlsTimestamp < provenAt) revert Outdated(tlsTimestamp, provenAt);

        used[digest] = true;
        value = extracted;
        provenAt = tlsTimestamp;
        emit ValueProven(extracted, tlsTimestamp);
    }
}
