"""Git, driven through its own program: facts of a repository, objects, refs, remotes, worktrees.

Nothing here touches the index, the stash or the checked-out files of the person who works in the
repository, unless a function says so in its name.
"""
