"""Machines of regularised risk: any convex loss, the representer form, and a proof."""
