// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// What RISC Zero publishes about its mock verifier, in our words: a seal is the verifier's selector and the digest of the
/// claim "this program ended well with this journal, took no input and assumed nothing".
contract MockVerifier {
    bytes4 public constant SELECTOR = 0xffffffff;

    error WrongSelector(bytes4 selector);
    error WrongClaim();

    function verify(bytes calldata seal, bytes32 imageId, bytes32 journalDigest) external pure {
        if (bytes4(seal[:4]) != SELECTOR) revert WrongSelector(bytes4(seal[:4]));
        bytes32 ended = sha256(abi.encodePacked(sha256("risc0.SystemState"), bytes32(0), uint32(0), uint16(1) << 8));
        bytes32 output =
            sha256(abi.encodePacked(sha256("risc0.Output"), journalDigest, bytes32(0), uint16(2) << 8));
        bytes32 claim = sha256(
            abi.encodePacked(
                sha256("risc0.ReceiptClaim"), bytes32(0), imageId, ended, output, uint32(0), uint32(0), uint16(4) << 8
            )
        );
        if (keccak256(seal) != keccak256(abi.encodePacked(SELECTOR, claim))) revert WrongClaim();
    }
}
