// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

// Compiled with solc 0.8.30 (evmVersion cancun, optimizer with 200 runs, no metadata) into demo-token.json.

/// A plain ERC-20 of the local chain. `npm start -- --chains local` writes its code at the addresses of the
/// catalogue's tokens, and its properties into the slots below. Nothing deploys it, so it has no constructor.
contract DemoToken {
    mapping(address => uint256) public balanceOf; // slot 0
    mapping(address => mapping(address => uint256)) public allowance; // slot 1
    uint256 public totalSupply; // slot 2
    uint256 public decimals; // slot 3
    string public symbol; // slot 4
    string public name; // slot 5

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    function transfer(address to, uint256 value) external returns (bool) {
        return move(msg.sender, to, value);
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        allowance[from][msg.sender] -= value;
        return move(from, to, value);
    }

    function move(address from, address to, uint256 value) private returns (bool) {
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
        return true;
    }
}
