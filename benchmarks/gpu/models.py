# SPDX-License-Identifier: BSL-1.0
"""A Llama and a GPT of plain PyTorch, written out so that it is known which operators keep what for backward."""
import math

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint


def has_flash():
    """Whether this PyTorch has an attention kernel that keeps no scores (2.0 on)."""
    return hasattr(F, "scaled_dot_product_attention")


class RmsNorm(nn.Module):
    """Step by step in fp32, as Hugging Face's Llama."""

    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, hidden):
        wide = hidden.float()
        wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-5)
        return self.weight * wide.to(hidden.dtype)


def rotate(states, cosines, sines):
    first, second = states.chunk(2, dim=-1)
    return states * cosines + torch.cat((-second, first), dim=-1) * sines


class Attention(nn.Module):
    def __init__(self, shape, kind):
        super().__init__()
        self.heads, self.kv_heads = shape["heads"], shape["kv_heads"]
        self.width = shape["hidden"] // shape["heads"]
        self.kind, self.rotary = kind, shape["family"] == "llama"
        bias = not self.rotary
        self.query = nn.Linear(shape["hidden"], self.heads * self.width, bias=bias)
        self.key = nn.Linear(shape["hidden"], self.kv_heads * self.width, bias=bias)
        self.value = nn.Linear(shape["hidden"], self.kv_heads * self.width, bias=bias)
        self.output = nn.Linear(self.heads * self.width, shape["hidden"], bias=bias)

    def forward(self, hidden, tables):
        batch, tokens, _ = hidden.shape
        query, key, value = (
            linear(hidden).view(batch, tokens, -1, self.width).transpose(1, 2) for linear in (self.query, self.key, self.value))
        if self.rotary:
            cosines, sines = (table.to(query.dtype) for table in tables)
            query, key = rotate(query, cosines, sines), rotate(key, cosines, sines)
        if self.kv_heads != self.heads:
            key, value = (states.repeat_interleave(self.heads // self.kv_heads, dim=1) for states in (key, value))
        if self.kind == "flash":
            mixed = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        else:
            scores = query @ key.transpose(2, 3) / math.sqrt(self.width)
            future = torch.ones(tokens, tokens, dtype=torch.bool, device=hidden.device).triu(1)
            scores = scores.masked_fill(future, torch.finfo(scores.dtype).min)
            mixed = torch.softmax(scores, dim=-1, dtype=torch.float32).to(query.dtype) @ value
        return self.output(mixed.transpose(1, 2).reshape(batch, tokens, -1))


class Block(nn.Module):
    def __init__(self, shape, kind):
        super().__init__()
        hidden, ffn = shape["hidden"], shape["ffn"]
        self.gated = shape["family"] == "llama"
        norm = RmsNorm if self.gated else nn.LayerNorm
        self.attention_norm, self.mlp_norm = norm(hidden), norm(hidden)
        self.attention = Attention(shape, kind)
        self.up = nn.Linear(hidden, ffn, bias=not self.gated)
        self.down = nn.Linear(ffn, hidden, bias=not self.gated)
        if self.gated:
            self.gate = nn.Linear(hidden, ffn, bias=False)

    def forward(self, hidden, tables):
        hidden = hidden + self.attention(self.attention_norm(hidden), tables)
        normed = self.mlp_norm(hidden)
        branch = F.silu(self.gate(normed)) * self.up(normed) if self.gated else F.gelu(self.up(normed))
        return hidden + self.down(branch)


class Model(nn.Module):
    """Embedding, blocks, final norm, head. The GPT has learned positions, biases and a tied head, the Llama none of them."""

    def __init__(self, shape, attention="materialised", recompute="none"):
        super().__init__()
        self.shape, self.recompute = shape, recompute
        llama = shape["family"] == "llama"
        self.embedding = nn.Embedding(shape["vocab"], shape["hidden"])
        self.positions = None if llama else nn.Embedding(shape["positions"], shape["hidden"])
        self.blocks = nn.ModuleList(Block(shape, attention) for _ in range(shape["layers"]))
        self.final_norm = (RmsNorm if llama else nn.LayerNorm)(shape["hidden"])
        self.head = nn.Linear(shape["hidden"], shape["vocab"], bias=False)
        if not llama:
            self.head.weight = self.embedding.weight
        for weight in self.parameters():
            if weight.dim() > 1:
                nn.init.normal_(weight, std=0.02)

    def tables(self, tokens, device):
        width = self.shape["hidden"] // self.shape["heads"]
        angles = torch.outer(torch.arange(tokens, device=device).float(),
                             10000.0 ** (-torch.arange(0, width, 2, device=device).float() / width))
        angles = torch.cat((angles, angles), dim=-1)
        return angles.cos(), angles.sin()

    def body(self, tokens):
        hidden = self.embedding(tokens)
        if self.positions is not None:
            hidden = hidden + self.positions(torch.arange(tokens.shape[1], device=tokens.device))
        tables = self.tables(tokens.shape[1], tokens.device)
        for block in self.blocks:
            hidden = checkpoint(block, hidden, tables, use_reentrant=False) if self.recompute == "full" else block(hidden, tables)
        return self.final_norm(hidden)

    def loss(self, tokens, targets, kind):
        hidden = self.body(tokens).flatten(0, 1)
        targets = targets.flatten()
        if kind == "torch_eager":
            return F.cross_entropy(self.head(hidden), targets)
        if kind == "torch_eager_float":
            logits = self.head(hidden)  # named, so that it lives as long as the fp32 copy
            return F.cross_entropy(logits.float(), targets)
        assert kind == "chunked_8"

        def piece(part, wanted):
            return F.cross_entropy(self.head(part).float(), wanted, reduction="sum")

        pieces = zip(hidden.chunk(8), targets.chunk(8))
        return sum(checkpoint(piece, part, wanted, use_reentrant=False) for part, wanted in pieces) / targets.numel()


def parameters_of(shape):
    """The count by formula, apart from the modules above."""
    hidden, ffn, layers, vocab = (shape[key] for key in ("hidden", "ffn", "layers", "vocab"))
    key_value = shape["kv_heads"] * (hidden // shape["heads"])
    attention = 2 * hidden * hidden + 2 * hidden * key_value
    if shape["family"] == "llama":
        return 2 * vocab * hidden + layers * (attention + 3 * hidden * ffn + 2 * hidden) + hidden
    biases = 2 * hidden + 2 * key_value + ffn + hidden
    return (vocab + shape["positions"]) * hidden + layers * (attention + 2 * hidden * ffn + biases + 4 * hidden) + 2 * hidden
