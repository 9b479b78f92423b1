"""Child processes: every process that kgprobe starts is started here.

Each runs within limits, in its own session and folder, and below a guard. When it ends, is closed, or kgprobe is
killed, all its descendants end and its folder is removed, even descendants that became daemons.

The entry points are `child.run`, for a process that runs to its end, `worker.Worker`, for one of ours that answers
requests, `worker.Pool`, for several of them, and `child.Child`, for a foreign one to talk to. Read `limits`, then
`child`, with `channel` (frames to and from it, and its output), then `guard` and `guard_process`, and `tree`, which
they use. `programs` explains why a program cannot be run. `channel.serving_parent` is for the other side: the life of
a worker.
"""
