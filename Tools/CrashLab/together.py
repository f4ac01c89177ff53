"""Does several things at once, and loses no fault of any of them."""

import threading


def together(tasks, meanwhile=lambda: None):
    """Runs each task in a thread of its own and `meanwhile` beside them, and waits for all.

    What one of them raises is raised here, once all have ended. A thread would drop it, and a round
    in which somebody did nothing would pass for a good one.
    """
    raised = []

    def attempt(task):
        try:
            task()
        # Of a thread, SystemExit would end nothing and say nothing.
        except (Exception, SystemExit) as error:
            raised.append(error)

    threads = [threading.Thread(target=attempt, args=(task,)) for task in tasks]
    for thread in threads:
        thread.start()
    try:
        meanwhile()
    finally:
        for thread in threads:
            thread.join()
    if raised:
        raise raised[0]
