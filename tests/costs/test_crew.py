"""Jobs done side by side: errors, breaking off, threads that are used again, and processes that are forked."""

from __future__ import annotations

import os
import signal
from functools import partial
from itertools import islice
from threading import active_count, get_ident
from time import sleep

import pytest

from segue.costs.engine.crew import each
from segue.costs.engine.plan import Count, Run
from segue.errors import StoppedError


def counted(threads=3, **how):
    """A count of a run."""
    return Count(Run(threads=threads, **how), 0, inline=False)


def slow(number):
    """A job that takes a moment."""
    sleep(0.001)
    return number, get_ident()


def test_threads_are_used_again():
    """Many calls need no more threads than a few."""
    threads = set()
    for _ in range(20):
        threads |= {who for _, who in each((partial(slow, k) for k in range(6)), counted(), threads=3)}
    assert 1 < len(threads) <= 3
    before = active_count()
    list(each((partial(slow, k) for k in range(6)), counted(), threads=3))
    assert active_count() == before


def test_an_error_ends_the_work_and_nothing_goes_on_beside_it():
    """It is raised at its turn; jobs that nobody has begun are never done."""
    done = []

    def job(k):
        sleep(0.001)
        if k == 5:
            raise ValueError("the sixth")
        done.append(k)
        return k

    seen = []
    with pytest.raises(ValueError, match="the sixth"):
        seen.extend(each((partial(job, k) for k in range(1000)), counted(), threads=3))
    assert seen == list(range(5))
    after = len(done)
    sleep(0.02)
    assert len(done) == after < 20


def test_an_error_in_the_source_is_raised():
    """As one in a job is."""

    def jobs():
        yield partial(slow, 0)
        raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        list(each(jobs(), counted(), threads=2))


def test_who_asks_for_no_more_leaves_nothing_running():
    """A caller may break off between two results."""
    count = counted()
    results = each((partial(slow, k) for k in range(1000)), count, threads=3)
    assert [number for number, _ in islice(results, 2)] == [0, 1]
    results.close()
    assert count.halted.is_set()


def test_a_stop_is_seen_while_the_first_job_is_slow():
    """The caller looks now and then, whoever works."""
    looks = []

    def stop():
        looks.append(None)
        return len(looks) > 2

    def job(k):
        sleep(0.3 if k else 0.0)

    with pytest.raises(StoppedError):
        list(each((partial(job, k) for k in range(3)), counted(threads=4, stop=stop), threads=4))


def test_jobs_may_themselves_be_done_side_by_side():
    """However many wait for one another, somebody works."""

    def outer(k):
        return sum(number for number, _ in each((partial(slow, n) for n in range(k)), counted(), threads=3))

    assert list(each((partial(outer, k) for k in range(6)), counted(), threads=3)) == [0, 0, 1, 3, 6, 10]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own():
    """Those of its parent are not there, and nobody waits for them."""
    list(each((partial(slow, k) for k in range(4)), counted(), threads=3))
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        right = [number for number, _ in each((partial(slow, k) for k in range(4)), counted(), threads=3)]
        os._exit(0 if right == [0, 1, 2, 3] else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
