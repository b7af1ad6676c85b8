// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// Makes one call again and again with more and more gas, as a contract does that calls a verifier.
contract GasSweep {
    /// What the calls with `from`, `from + step` … (as many as `count`) came to: 0x00000001 for one that succeeded, the first
    /// four bytes of what it reverted with otherwise, 0x00000000 for none.
    function sweep(address target, bytes calldata data, uint256 from, uint256 step, uint256 count)
        external
        view
        returns (bytes4[] memory outcomes)
    {
        outcomes = new bytes4[](count);
        for (uint256 i = 0; i < count; i++) {
            uint256 gasLimit = from + i * step;
            // Otherwise the call gets less than it should.
            require(gasleft() - gasleft() / 64 > gasLimit + 100_000);
            (bool success, bytes memory answer) = target.staticcall{gas: gasLimit}(data);
            outcomes[i] = success ? bytes4(0x00000001) : bytes4(answer);
        }
    }
}
