"""Has an agent's context been compacted, and is it about to be: the count of one session.

Pure: an agent's hooks and its transcript say what happened, in any order and sometimes
twice; here is what it comes to. One compaction counts once, whatever tells of it.
"""

from __future__ import annotations

from gitstate.values import dataclass, field

CLOSE_TURNS = 5  # two compactions within so many turns are too many
_KEPT = 50  # token counts that the mean is made of
_DROP_FROM, _DROP_TO = 0.4, 0.5
_CREDIT_TURNS = 2


@dataclass(slots=True)
class Track:
    """One session's turns, tokens and compactions; its fields are what is kept on disk.

    ``tokens`` in use at the last measure, ``window`` as the transcript says (0: unknown).
    ``pending``: why a briefing waits ("" where none does); ``lean``: it leaves out what
    is of medium and low strength.
    """

    turns: int = 0
    compactions: int = 0
    compacted_at: list[int] = field(default_factory=list)  # turns, the last two
    announced: bool = False
    fresh: bool = False  # nothing else has happened since the last one
    # turns of compactions that hooks told of, and the transcript has not shown yet
    owed: list[int] = field(default_factory=list)
    pending: str = ""
    lean: bool = False
    close: bool = False  # two came within a few turns, and nobody was told yet
    tokens: int = 0
    window: int = 0
    used: list[int] = field(default_factory=list)  # tokens at the ends of turns
    warned: int = -1  # the compaction before which it was warned
    refreshed: int = 0  # turn of the last refresh

    def goes_on(self) -> None:
        """The agent works: what tells of a compaction from now on is another one's."""
        self.fresh = False

    def turn(self) -> None:
        """A turn of the user's begins."""
        self.turns += 1
        self.fresh = self.announced = False
        self.owed = [one for one in self.owed if one > self.turns - _CREDIT_TURNS]

    def announce(self) -> None:
        """A compaction is about to be tried; it may fail, and then nothing follows."""
        self.announced = True
        self.fresh = False

    def compacted(self, *, by_transcript: bool = False) -> bool:
        """Somebody tells of a compaction; says whether it is a new one."""
        if by_transcript and self.owed:
            self.owed = self.owed[1:]
            return False
        if self.fresh and not by_transcript:
            return False
        self.announced = False
        self.fresh = True
        if not by_transcript:
            self.owed = [*self.owed, self.turns]
        self._count("compact")
        return True

    def lost(self) -> bool:
        """An answer shows that the context is gone, and nothing else does; is that new."""
        if self.fresh or self.pending:
            return False
        self._count("probe")
        return True

    def _count(self, why: str) -> None:
        self.compactions += 1
        self.compacted_at = [*self.compacted_at[-1:], self.turns]
        self.pending = why
        first, *rest = self.compacted_at
        if rest and rest[0] - first < CLOSE_TURNS:
            self.close = self.lean = True
        self.used.clear()
        self.tokens = 0

    def measured(self, tokens: int, window: int = 0, *, drops: bool = False) -> bool:
        """The tokens in use now; says whether that alone shows a compaction.

        ``drops``: this client's transcript has no record of one, so that a sudden fall
        counts.
        """
        before, self.tokens = self.tokens, tokens
        self.window = window or self.window
        fell = (
            drops
            and self.window > 0
            and before >= _DROP_FROM * self.window
            and tokens < _DROP_TO * before
        )
        return fell and self.compacted(by_transcript=True)

    def ended(self, *, silent: bool = False) -> None:
        """A turn ended: its tokens count for the mean; ``silent``: none were told."""
        if self.tokens and not silent:
            self.used = [*self.used[1 - _KEPT :], self.tokens]
        elif silent and self.tokens:
            self.tokens += self.mean()

    def mean(self) -> int:
        """Mean tokens that a turn adds; 0 where that is not known yet."""
        if len(self.used) < 2:  # noqa: PLR2004 a difference needs two
            return 0
        return max(0, (self.used[-1] - self.used[0]) // (len(self.used) - 1))

    def warns(self, *, warn: float, window: int | None) -> float | None:
        """The share of the window in use where that is worth a warning, once a window."""
        whole = window or self.window
        if not whole or self.warned == self.compactions:
            return None
        share = self.tokens / whole
        if share < warn:
            return None
        self.warned = self.compactions
        return share

    def refresh_due(self, every: int) -> bool:
        """Is it time to ask for the state to be written; counts it as asked."""
        if self.turns - self.refreshed < every:
            return False
        self.refreshed = self.turns
        return True

    def briefed(self) -> None:
        """The pending briefing was handed over."""
        self.pending = ""
        self.lean = False
