"""Lists of groups are read as tables are, whatever sign is between their columns."""

from pathlib import Path

import pytest

from relgauss.cli.table_questions import read_groups


@pytest.mark.parametrize("sign", [",", ";", "\t", "|"])
def test_a_list_of_groups_has_any_sign_between_its_columns(tmp_path: Path, sign: str):
    file = tmp_path / "groups.csv"
    file.write_text(f'job{sign}town\ncook{sign}Rome\n"clerk"{sign}Bern\n', encoding="utf-8-sig")
    assert read_groups(str(file), ["job", "town"]) == [("cook", "Rome"), ("clerk", "Bern")]
