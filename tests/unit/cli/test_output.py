"""Lines that are too long for a terminal."""

import pytest

from relgauss.cli import output


def test_a_sign_stays_with_its_number(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    for width in range(24, 60):
        monkeypatch.setattr(output.console, "width", width)
        output.print_hanging("  means  finds a record in at most 1.84 % (14.9 %); right in at most 54.8 %", 9)
        lines = capsys.readouterr().out.splitlines()
        assert " ".join(" ".join(lines).split()).endswith("at most 1.84 % (14.9 %); right in at most 54.8 %")
        assert not any(line.strip().startswith("%") for line in lines)
        assert all(line.startswith(" " * 9) for line in lines[1:])
