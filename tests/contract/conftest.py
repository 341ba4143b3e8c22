"""The files of the project."""

import subprocess
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def project_files(project_root: Path) -> list[Path]:
    """Every file that is in a commit or would go into the next one."""
    if not (project_root / ".git").exists():
        pytest.skip("needs a git checkout")
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listing = subprocess.run(command, cwd=project_root, capture_output=True, text=True, check=True).stdout
    files = (project_root / name for name in listing.split("\0") if name)
    return [file for file in files if file.is_file()]
