// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {SealVerifier} from "./WebProofVerifier.sol";

/// @title Verifies compressed web proofs of other notaries, attested by a delegate
/// @notice Accepts a journal when a delegate that this contract believes attested it: the delegate says that it verified a web
/// proof signed by the notary whose fingerprint the journal names, and read the request and every value from it.
/// @dev What this adds to trust: no signature of that notary is checked on chain. Whoever holds the key of one delegate can have
/// any journal accepted in the name of any notary, so believe as few delegates as you can. The list is fixed at deployment: if a
/// delegate's key is lost or stolen, deploy another verifier and move the consumers to it. The web proof is the prover's choice:
/// with MPC-TLS it was the prover who wrote the request, headers that the journal does not show included.
contract DelegatedWebProofVerifier is SealVerifier {
    bytes32 private constant REQUEST_DOMAIN = keccak256("credence.delegated-request.v1");
    bytes32 private constant PARTLY_HIDDEN_DOMAIN = keccak256("credence.delegated-partly-hidden-request.v1");

    /// @notice Whether the key with this fingerprint (SHA-256 of its compressed form) is believed.
    mapping(bytes32 fingerprint => bool) public isDelegate;

    event DelegateBelieved(bytes32 indexed fingerprint);

    error NoDelegates();
    error UnknownDelegate(bytes32 fingerprint);

    /// @param delegates fingerprints of the notary keys of the hosts that are believed; at least one
    constructor(bytes32[] memory delegates) {
        if (delegates.length == 0) revert NoDelegates();
        for (uint256 i = 0; i < delegates.length; i++) {
            isDelegate[delegates[i]] = true;
            emit DelegateBelieved(delegates[i]);
        }
    }

    /// @inheritdoc SealVerifier
    /// @dev For web proofs that hide nothing.
    function GUEST_ID() public pure override returns (bytes32) {
        return _program(REQUEST_DOMAIN, 0);
    }

    /// @notice The guest id for web proofs of which parts are hidden. Pass it to `verify` only if you trust the prover: of other
    /// notaries' proofs it chooses what is hidden. Hidden line ends can make two exchanges look like one, hidden quotes other
    /// JSON of a body, and so another value of the same query.
    /// @param requestBody keccak-256 of the body of the request, zero if it has none
    function partlyHiddenGuestIdFor(bytes32 requestBody) external pure returns (bytes32) {
        return _program(PARTLY_HIDDEN_DOMAIN, requestBody);
    }

    function _requestDomain(bytes32 imageId, bytes32 requestBody) internal pure override returns (bytes32) {
        if (imageId == _program(REQUEST_DOMAIN, requestBody)) return REQUEST_DOMAIN;
        if (imageId == _program(PARTLY_HIDDEN_DOMAIN, requestBody)) return PARTLY_HIDDEN_DOMAIN;
        revert UnknownProgram(imageId);
    }

    /// The delegate signed which notary it speaks for.
    function _notaryWord(bytes32 notary, bytes32 attester) internal view override returns (bytes32) {
        if (!isDelegate[attester]) revert UnknownDelegate(attester);
        return notary;
    }
}
