"""Whatever is refused says why and what to do, in one form."""

import pytest

from relgauss.certify import Refused as NotCertified
from relgauss.nodes import Refusal
from relgauss.refused import Refused


@pytest.mark.parametrize("kind", [NotCertified("why", "what"), Refusal("why", "what", kind="SpentError")])
def test_every_kind_has_a_reason_and_a_fix(kind):
    assert isinstance(kind, Refused)
    assert (kind.reason, kind.fix) == ("why", "what")
    with pytest.raises(AttributeError):
        kind.reason = "another"
