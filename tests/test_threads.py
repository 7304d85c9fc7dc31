"""Parallel jobs: errors, interruption, reused threads, and forked processes."""

from __future__ import annotations

import os
import signal
import weakref
from functools import partial
from itertools import islice
from threading import Thread, active_count, get_ident
from time import sleep

import pytest

from segue.errors import StoppedError
from segue.threads import each


def slow(number):
    """A job of one millisecond."""
    sleep(0.001)
    return number, get_ident()


def test_threads_are_used_again():
    """Many calls need no more threads than a few."""
    threads = set()
    for _ in range(20):
        threads |= {who for _, who in each((partial(slow, k) for k in range(6)), threads=3)}
    assert 1 < len(threads) <= 10
    before = active_count()
    list(each((partial(slow, k) for k in range(6)), threads=3))
    assert active_count() <= before + 1


def test_an_error_ends_the_work_and_nothing_goes_on_beside_it():
    """A worker's error is raised at its turn, the caller's immediately; results before it are in order."""
    done = []

    def job(k):
        sleep(0.001)
        if k == 5:
            raise ValueError("the sixth")
        done.append(k)
        return k

    seen = []
    with pytest.raises(ValueError, match="the sixth"):
        seen.extend(each((partial(job, k) for k in range(1000)), threads=3))
    assert seen == list(range(len(seen)))
    assert len(seen) <= 5
    after = len(done)
    sleep(0.02)
    assert len(done) == after < 20


def test_jobs_that_nobody_has_begun_are_never_done():
    """With two threads four jobs are queued; after the first fails, the last is never started."""
    done = []

    def job(k):
        if k == 0:
            sleep(0.02)
            raise ValueError("the first")
        sleep(0.1)
        done.append(k)

    with pytest.raises(ValueError, match="the first"):
        list(each((partial(job, k) for k in range(50)), threads=2))
    assert 3 not in done


def test_whoever_breaks_off_is_heard_at_once():
    """An exception in the calling thread does not wait for earlier results, and no other job starts there."""
    begun, caller = [], get_ident()

    def job(k):
        if get_ident() != caller:
            return sleep(0.05)
        begun.append(k)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(each((partial(job, k) for k in range(50)), threads=3))
    assert len(begun) == 1


def test_results_are_not_kept():
    """Returned results are released."""

    class Result:
        """An object that allows weak references."""

    refs = []

    def job():
        result = Result()
        refs.append(weakref.ref(result))
        return result

    for count, _ in enumerate(each((job for _ in range(12)), threads=2)):
        alive = sum(ref() is not None for ref in refs)
        assert alive <= 5, count  # one in use, four that wait


def test_an_error_in_the_source_is_raised():
    """It is raised like the error of a job."""

    def jobs():
        yield partial(slow, 0)
        raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        list(each(jobs(), threads=2))


def test_who_asks_for_no_more_leaves_nothing_running():
    """A caller may stop between two results."""
    broken = []
    results = each((partial(slow, k) for k in range(1000)), threads=3, broken=lambda: broken.append(None))
    assert [number for number, _ in islice(results, 2)] == [0, 1]
    results.close()
    assert broken == [None]


def test_a_stop_is_seen_while_the_first_job_is_slow():
    """The caller checks for it at intervals, whoever works."""
    looks = []

    def look():
        looks.append(None)
        if len(looks) > 1:
            raise StoppedError("enough")

    def job(k):
        sleep(0.3 if k else 0.0)

    with pytest.raises(StoppedError):
        list(each((partial(job, k) for k in range(3)), threads=4, look=look))


def test_the_caller_looks_up_while_he_waits():
    """Progress is reported every tenth of a second although no job ends meanwhile."""
    looks, caller = [], get_ident()

    def job():
        sleep(0.05 if get_ident() == caller else 0.5)

    list(each((job for _ in range(2)), threads=3, look=lambda: looks.append(None)))
    assert len(looks) >= 4


def test_jobs_may_themselves_be_done_side_by_side():
    """However many jobs wait for one another, some thread works."""

    def outer(k):
        return sum(number for number, _ in each((partial(slow, n) for n in range(k)), threads=3))

    assert list(each((partial(outer, k) for k in range(6)), threads=3)) == [0, 0, 1, 3, 6, 10]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own():
    """The parent's threads do not exist in it, and nothing waits for them."""

    def numbers():
        return [number for number, _ in each((partial(slow, k) for k in range(4)), threads=3)]

    def busy():
        while not rested:
            numbers()

    rested: list[None] = []
    beside = Thread(target=busy)
    beside.start()  # so that jobs are passed on while the process forks
    begun = each((partial(slow, k) for k in range(9)), threads=3)
    next(begun)
    children = []
    for _ in range(5):
        children.append(os.fork())
        if children[-1] == 0:
            signal.alarm(20)
            begun.close()
            os._exit(0 if numbers() == [0, 1, 2, 3] else 1)
    rested.append(None)
    beside.join()
    begun.close()
    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0] * 5
