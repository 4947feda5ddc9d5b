"""Every Python example of the README runs as it is printed."""

import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def test_the_examples_of_the_readme_run(tmp_path):
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf8"), re.DOTALL)
    assert len(blocks) >= 3
    script = tmp_path / "examples.py"
    script.write_text("\n".join(blocks), encoding="utf8")
    done = subprocess.run([sys.executable, "-W", "error", str(script)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
