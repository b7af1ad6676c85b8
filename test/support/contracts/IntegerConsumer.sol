// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// Reads the one extracted value of a journal as an integer, with the check of its types that the example consumer makes.
contract IntegerConsumer {
    error WrongTypes();

    function read(bytes calldata journal) external pure returns (uint256 value) {
        bytes32 fingerprint;
        string memory method;
        string memory url;
        uint256 time;
        bytes32 extraction;
        (fingerprint, method, url, time, extraction, value) =
            abi.decode(journal, (bytes32, string, string, uint256, bytes32, uint256));
        if (keccak256(abi.encode(fingerprint, method, url, time, extraction, value)) != keccak256(journal)) {
            revert WrongTypes();
        }
    }
}
