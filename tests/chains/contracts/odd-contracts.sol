// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

// Contracts of the chain tests: honest tokens, and those that lie. They were compiled with solc 0.8.37
// (evmVersion cancun, optimizer with 200 runs, metadata.bytecodeHash none) into odd-contracts.json.

/// A token as most are. It may take a part of each transfer, as USDT can.
contract Token {
    mapping(address => uint256) public balanceOf;
    uint256 public feeBasisPoints;
    address private immutable owner = msg.sender;

    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor() {
        balanceOf[msg.sender] = 1e30;
    }

    function setFee(uint256 basisPoints) external {
        feeBasisPoints = basisPoints;
    }

    function transfer(address to, uint256 value) public {
        uint256 fee = value * feeBasisPoints / 10000;
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value - fee;
        emit Transfer(msg.sender, to, value - fee);
        if (fee > 0) {
            balanceOf[owner] += fee;
            emit Transfer(msg.sender, owner, fee);
        }
    }

    /// Moves coins without an event.
    function moveSilently(address to, uint256 value) external {
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
    }

    /// Emits the event twice and moves the coins once.
    function sayTwice(address to, uint256 value) external {
        transfer(to, value);
        emit Transfer(msg.sender, to, value);
    }

    /// Transfers to several addresses: several logs of one transaction.
    function transferMany(address[] calldata to, uint256 value) external {
        for (uint256 i; i < to.length; i++) transfer(to[i], value);
    }
}

/// Copies the event of a good token and moves nothing.
contract Liar {
    event Transfer(address indexed from, address indexed to, uint256 value);

    function transfer(address to, uint256 value) external {
        emit Transfer(msg.sender, to, value);
    }
}

/// Pays coins out of a contract, as wallets of smart contracts and batches of exchanges do.
contract Splitter {
    function pay(address payable to) external payable {
        (bool isPaid,) = to.call{value: msg.value}("");
        require(isPaid);
    }

    function payAndFail(address payable to) external payable {
        (bool isPaid,) = to.call{value: msg.value}("");
        require(!isPaid, "the payment is taken back");
    }

    /// The inner payment fails in a transaction that succeeds. The coins stay in this contract.
    function tryAndFail(address payable to) external payable {
        try this.payAndFail{value: msg.value}(to) {} catch {}
    }
}

/// Pays by destroying itself, which calls nothing.
contract Bomb {
    constructor(address payable to) payable {
        selfdestruct(to);
    }
}
