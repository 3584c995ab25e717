# SPDX-License-Identifier: BSL-1.0
"""AdamW in the precision layouts of the library, written out: one tensor after the other, no state but what is named."""
import torch

# Layout: dtype of weights, of the gradient that autograd leaves, of a sum beside it or in its place, of the master copy, of the moments.
BF16, FP32 = torch.bfloat16, torch.float32
LAYOUTS = {
    "fp32": dict(weight=FP32, gradient=FP32, main=None, replaces=False, master=None, moment=FP32, autocast=False),
    "torch_amp": dict(weight=FP32, gradient=FP32, main=None, replaces=False, master=None, moment=FP32, autocast=True),
    "pure_bf16": dict(weight=BF16, gradient=BF16, main=None, replaces=False, master=None, moment=BF16, autocast=False),
    "handbook_bf16": dict(weight=BF16, gradient=BF16, main=None, replaces=False, master=None, moment=FP32, autocast=False),
    "bf16_fp32_master": dict(weight=BF16, gradient=BF16, main=None, replaces=False, master=FP32, moment=FP32, autocast=False),
    "bf16_fp32_accumulator": dict(weight=BF16, gradient=BF16, main=FP32, replaces=False, master=FP32, moment=FP32, autocast=False),
    "bf16_fp32_master_and_gradients": dict(weight=BF16, gradient=BF16, main=FP32, replaces=True, master=FP32, moment=FP32, autocast=False),
}


def has_gradient_hooks():
    """Whether a gradient can be taken as soon as it is there (PyTorch 2.1 on); else after backward."""
    return hasattr(torch.Tensor, "register_post_accumulate_grad_hook")


class AdamW:
    def __init__(self, weights, layout, rate=1e-3, betas=(0.9, 0.95), epsilon=1e-8, decay=0.1):
        self.layout, self.rate, self.betas, self.epsilon, self.decay, self.steps = layout, rate, betas, epsilon, decay, 0
        self.weights = list(weights)
        like = lambda weight, dtype: torch.zeros_like(weight, dtype=dtype, requires_grad=False)
        self.master = [weight.detach().to(layout["master"]).clone() for weight in self.weights] if layout["master"] else None
        self.main = [like(weight, layout["main"]) for weight in self.weights] if layout["main"] else None
        self.moments = None  # made in the first step, as PyTorch does
        if self.main and layout["replaces"] and has_gradient_hooks():
            for weight, total in zip(self.weights, self.main):
                weight.register_post_accumulate_grad_hook(lambda done, total=total: self._take(done, total))

    def _take(self, weight, total):
        if weight.grad is not None:
            total.add_(weight.grad)
            if self.layout["replaces"]:
                weight.grad = None

    def zero(self):
        """Gradients are buffers that stay; only their numbers go."""
        for total in self.main or []:
            total.zero_()
        for weight in self.weights:
            if weight.grad is not None:
                weight.grad.zero_()

    @torch.no_grad()
    def step(self):
        if self.main:
            for weight, total in zip(self.weights, self.main):
                self._take(weight, total)
        self.steps += 1
        first_beta, second_beta = self.betas
        if self.moments is None:
            moment = self.layout["moment"]
            self.moments = [tuple(torch.zeros_like(weight, dtype=moment) for _ in range(2)) for weight in self.weights]
        for at, weight in enumerate(self.weights):
            first, second = self.moments[at]
            gradient = (self.main[at] if self.main else weight.grad).to(first.dtype)
            first.mul_(first_beta).add_(gradient, alpha=1 - first_beta)
            second.mul_(second_beta).addcmul_(gradient, gradient, value=1 - second_beta)
            del gradient
            target = self.master[at] if self.master else weight
            target.mul_(1 - self.rate * self.decay)
            change = first / (1 - first_beta**self.steps)
            change.div_((second / (1 - second_beta**self.steps)).sqrt_().add_(self.epsilon))
            target.sub_(change.to(target.dtype), alpha=self.rate)
            del change
            if self.master:
                weight.copy_(target)

    def bytes(self):
        """Bytes of each kind of state, counted over the tensors that are alive now."""
        size = lambda tensors: sum(tensor.numel() * tensor.element_size() for tensor in tensors)
        return {
            "weights": size(self.weights),
            "gradients": size(weight.grad for weight in self.weights if weight.grad is not None) + size(self.main or []),
            "master": size(self.master or []),
            "optimizer": size(moment for pair in self.moments or [] for moment in pair),
        }
