#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Trains small Llama and GPT models for three steps on one GPU and writes what PyTorch's allocator says, a JSON object a line.

    measure_peak.py --grid full --out rows.jsonl    on a GPU; each configuration in a process of its own
    measure_peak.py --grid tiny --device cpu        on a CPU: states and saved tensors instead of allocator figures
    measure_peak.py --self-test                     the tiny grid on a CPU, checked against formulas

PyTorch 1.13 or later. README.md says what the rows mean."""
import argparse
import gc
import itertools
import json
import platform
import subprocess
import sys

try:
    import torch
except ImportError:
    print("SKIPPED: PyTorch is not there")
    sys.exit(0)

import models
import states

STEPS = 3
KINDS_OF_LOSS = ("torch_eager", "torch_eager_float", "chunked_8")
SHAPES = {
    "llama_tiny": dict(family="llama", layers=2, hidden=64, heads=4, kv_heads=2, ffn=96, vocab=320),
    "gpt_tiny": dict(family="gpt", layers=2, hidden=64, heads=4, kv_heads=4, ffn=256, vocab=320, positions=64),
    "llama_300m": dict(family="llama", layers=16, hidden=1024, heads=16, kv_heads=8, ffn=3584, vocab=32000),
    "llama3_1b": dict(family="llama", layers=16, hidden=2048, heads=32, kv_heads=8, ffn=8192, vocab=128256),
    "llama2_7b_quarter": dict(family="llama", layers=8, hidden=4096, heads=32, kv_heads=32, ffn=11008, vocab=32000),
    "gpt2_medium": dict(family="gpt", layers=24, hidden=1024, heads=16, kv_heads=16, ffn=4096, vocab=50304, positions=4096),
    "gpt_1b": dict(family="gpt", layers=24, hidden=1920, heads=20, kv_heads=20, ffn=7680, vocab=50304, positions=4096),
}


def grid(which):
    """Configurations: dictionaries of plain values."""
    if which == "tiny":
        shapes, batches, sequences, layouts = ("llama_tiny", "gpt_tiny"), (1, 2), (16, 32), list(states.LAYOUTS)
    elif which == "small":
        shapes, batches, sequences, layouts = ("llama_300m", "gpt2_medium"), (1, 4), (2048,), ["bf16_fp32_master", "torch_amp"]
    else:
        shapes = [name for name in SHAPES if not name.endswith("tiny")]
        batches, sequences, layouts = (1, 2, 4), (1024, 2048, 4096), list(states.LAYOUTS)
    attentions = [kind for kind in ("flash", "materialised") if kind != "flash" or models.has_flash()]
    for shape, batch, sequence, layout, attention, recompute, loss in itertools.product(
            shapes, batches, sequences, layouts, attentions, ("none", "full"), KINDS_OF_LOSS):
        # Every layout with one setting of the rest, and all settings of the rest with one layout: not their product.
        ordinary = attention == attentions[0] and recompute == "none" and loss == "torch_eager_float"
        if layout == "bf16_fp32_master" or (ordinary and batch == batches[0] and sequence == sequences[0]):
            yield dict(model=shape, micro_batch=batch, sequence=sequence, precision=layout, attention=attention, recompute=recompute,
                       cross_entropy=loss, optimizer="adamw", steps=STEPS)


class SavedStorages:
    """Bytes of the distinct storages that autograd keeps, without those of parameters."""

    def __init__(self, parameters):
        self.known = {self.key(weight) for weight in parameters}
        self.sizes = {}

    @staticmethod
    def storage(tensor):
        return tensor.untyped_storage() if hasattr(tensor, "untyped_storage") else tensor.storage()

    @classmethod
    def key(cls, tensor):
        return cls.storage(tensor).data_ptr()

    def pack(self, tensor):
        if self.key(tensor) not in self.known:
            self.sizes[self.key(tensor)] = self.storage(tensor).nbytes()
        return tensor  # and so the storage stays alive and its address is not used again

    def total(self):
        return sum(self.sizes.values())


def about(device):
    versions = dict(torch=torch.__version__, python=platform.python_version(), gradient_hooks=states.has_gradient_hooks())
    if device == "cuda":
        properties = torch.cuda.get_device_properties(0)
        versions.update(gpu=properties.name, cuda=torch.version.cuda, allocator=torch.cuda.get_allocator_backend()
                        if hasattr(torch.cuda, "get_allocator_backend") else "native")
    return versions


def measure(config, device):
    """Rows of one configuration."""
    torch.manual_seed(0)
    shape, layout = SHAPES[config["model"]], states.LAYOUTS[config["precision"]]
    model = models.Model(shape, config["attention"], config["recompute"]).to(device=device, dtype=layout["weight"])
    optimizer = states.AdamW(model.parameters(), layout)
    size = (config["micro_batch"], config["sequence"])
    tokens, targets = (torch.randint(shape["vocab"], size, device=device) for _ in range(2))
    saved = SavedStorages(model.parameters())
    figures = dict(parameters=sum(weight.numel() for weight in model.parameters()))
    if device == "cuda":
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        figures["torch_memory_allocated_before_first_step"] = torch.cuda.memory_allocated()
    for step in range(STEPS):
        optimizer.zero()
        with torch.autocast(device_type=device, dtype=torch.bfloat16, enabled=layout["autocast"]):
            if device == "cpu" and step == STEPS - 1:
                with torch.autograd.graph.saved_tensors_hooks(saved.pack, lambda tensor: tensor):
                    loss = model.loss(tokens, targets, config["cross_entropy"])
                figures["saved_tensors_bytes"] = saved.total()
            else:
                loss = model.loss(tokens, targets, config["cross_entropy"])
        loss.backward()
        del loss
        optimizer.step()
        if device == "cuda":
            torch.cuda.synchronize()
            if step == 0:
                figures["torch_max_memory_allocated_first_step"] = torch.cuda.max_memory_allocated()
                torch.cuda.reset_peak_memory_stats()
    if device == "cuda":
        figures["torch_memory_allocated_after_step"] = torch.cuda.memory_allocated()
        figures["torch_max_memory_allocated"] = torch.cuda.max_memory_allocated()
        figures["torch_max_memory_reserved"] = torch.cuda.max_memory_reserved()
        free, total = torch.cuda.mem_get_info()
        figures["device_total_memory"], figures["device_memory_in_use"] = total, total - free
    figures.update({f"{kind}_bytes": size for kind, size in optimizer.bytes().items()})

    described = dict(config, **{key: value for key, value in shape.items()}, **about(device))
    name = "_".join(str(config[key]) for key in ("model", "micro_batch", "sequence", "precision", "attention", "recompute", "cross_entropy"))
    return [dict(id=f"ours_{name}_{metric}", source="shardplan benchmarks/gpu/measure_peak.py", kind="measured", config=described,
                 metric=metric, value=value, unit="parameters" if metric == "parameters" else "bytes") for metric, value in figures.items()]


def run(configurations, device, out):
    lines = []
    for config in configurations:
        if device == "cuda":
            # A process of its own: the allocator and the kernels' workspaces start anew.
            done = subprocess.run([sys.executable, __file__, "--device", device, "--one", json.dumps(config)], stdout=subprocess.PIPE, text=True)
            if done.returncode != 0:
                print(f"no row: {config} (out of memory, or the message above)", file=sys.stderr)
                continue
            rows = [json.loads(line) for line in done.stdout.splitlines()]
        else:
            rows = measure(config, device)
            gc.collect()
        for row in rows:
            print(json.dumps(row), file=out, flush=True)
        lines += rows
    return lines


def self_test():
    """The tiny grid on a CPU: counts and states equal the formulas, recomputation keeps less, and rows have the format."""
    bytes_a_parameter = {"fp32": 16, "torch_amp": 16, "pure_bf16": 8, "handbook_bf16": 12, "bf16_fp32_master": 16, "bf16_fp32_accumulator": 20,
                         "bf16_fp32_master_and_gradients": 18}
    saved = {}
    count = 0
    for config in grid("tiny"):
        rows = measure(config, "cpu")
        values = {row["metric"]: row["value"] for row in rows}
        assert all(set(row) == {"id", "source", "kind", "config", "metric", "value", "unit"} for row in rows)
        assert all(isinstance(row["value"], int) for row in rows), rows
        expected = models.parameters_of(SHAPES[config["model"]])
        assert values["parameters"] == expected, (config, values, expected)
        total = sum(values[f"{kind}_bytes"] for kind in ("weights", "gradients", "master", "optimizer"))
        assert total == bytes_a_parameter[config["precision"]] * expected, (config, values)
        saved[json.dumps({key: value for key, value in config.items() if key != "recompute"}), config["recompute"]] = values["saved_tensors_bytes"]
        count += 1
    for (rest, recompute), size in saved.items():
        if recompute == "full" and (rest, "none") in saved:
            assert size < saved[rest, "none"], (rest, size)
    if not models.has_flash():
        print("flash attention: left out, this PyTorch has none")
    print(f"{count} configurations hold, PyTorch {torch.__version__}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--grid", choices=("tiny", "small", "full"), default="small")
    parser.add_argument("--out", help="a file for the rows; without it they are printed")
    parser.add_argument("--list", action="store_true", help="print the configurations and stop")
    parser.add_argument("--one", metavar="JSON", help="one configuration, in this process")
    parser.add_argument("--self-test", action="store_true")
    asked = parser.parse_args()
    if asked.self_test:
        return self_test()
    if asked.one:
        for row in measure(json.loads(asked.one), asked.device):
            print(json.dumps(row))
        return
    configurations = list(grid(asked.grid))
    if asked.list:
        for config in configurations:
            print(json.dumps(config))
        return
    if asked.device == "cpu" and asked.grid != "tiny":
        parser.error("on a CPU only --grid tiny makes sense: it counts tensors and measures no allocator")
    with open(asked.out, "w") if asked.out else sys.stdout as out:
        run(configurations, asked.device, out)


if __name__ == "__main__":
    main()
