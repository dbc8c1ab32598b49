"""What the body of a function binds, reads and may change: by its text alone."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator

from octavo.notebook.names.known import PLAIN_FUNCTIONS, REACHING, SHARED, only_reads, words

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
#: Context managers that let every exception through.
_TRANSPARENT = words(
    """
    Pool Progress ProcessPoolExecutor Session TemporaryDirectory ThreadPoolExecutor ZipFile
    catch_warnings connect fdopen localcontext open option_context rc_context redirect_stderr
    redirect_stdout tqdm urlopen
    """
)


class Scope:
    """Names of a body. `reads` and `writes` are those of the notebook, with the line of the first
    use; in `guarded` are those whose absence the body provides for.
    """

    def __init__(self) -> None:
        self.bound: set[str] = set()
        self.declared: set[str] = set()
        self.outer: set[str] = set()
        self.reads: dict[str, int] = {}
        self.guarded: set[str] = set()
        self.writes: set[str] = set()
        self.yields = False

    @property
    def locals(self) -> set[str]:
        return self.bound - self.declared - self.outer


def scope_of(node: ast.AST, known: dict[ast.AST, Scope]) -> Scope:
    """The scope of a function; `known` remembers it."""
    scope = known.get(node)
    if scope is None:
        scope = known[node] = _scanned(node)
    return scope


def bound_in(body: Iterable[ast.AST]) -> set[str]:
    """Names that statements bind in the scope that they stand in."""
    scan = _Scan()
    for node in body:
        scan.visit(node)
    return scan.scope.bound


def _scanned(node: ast.AST) -> Scope:
    scan = _Scan()
    if isinstance(node, _FUNCTIONS):
        scan.scope.bound.update(argument.arg for argument in _arguments(node.args))
        scan.scope.bound.update(type_names(node))
        body = node.body if isinstance(node.body, list) else [node.body]
    else:
        body = list(getattr(node, "body", []))
    for part in body:
        scan.visit(part)
    return scan.closed()


def type_names(node: ast.AST) -> set[str]:
    """The names between the brackets of `def f[T]()` and `class A[T]`."""
    return {each.name for each in getattr(node, "type_params", ())}


def _arguments(given: ast.arguments) -> Iterator[ast.arg]:
    yield from (*given.posonlyargs, *given.args, *given.kwonlyargs)
    yield from (each for each in (given.vararg, given.kwarg) if each)


def names_in(node: ast.AST) -> Iterator[str]:
    """All names that stand in an expression."""
    return (each.id for each in ast.walk(node) if isinstance(each, ast.Name))


def root_of(node: ast.AST) -> str | None:
    """The name that a chain of attributes, items and calls begins with."""
    while True:
        if isinstance(node, ast.Name):
            return node.id
        if isinstance(node, ast.Call):
            node = node.func
        elif isinstance(node, (ast.Attribute, ast.Subscript, ast.Starred)):
            node = node.value
        else:
            return None


def dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def is_modules(node: ast.expr) -> bool:
    """Whether this is `sys.modules`, which has the names of the notebook among others."""
    return isinstance(node, ast.Attribute) and dotted(node) == "sys.modules"


def is_other_module(key: ast.expr) -> bool:
    """Whether a key of `sys.modules` stands for a module that is not the notebook itself."""
    return isinstance(key, ast.Constant) and key.value not in SHARED


def catches(handlers: Iterable[ast.ExceptHandler], wanted: str) -> bool:
    """Whether some handler would see an exception of this kind, as far as can be told."""
    general = (wanted, "Exception", "BaseException")
    for handler in handlers:
        kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        for kind in kinds:
            name = kind.id if isinstance(kind, ast.Name) else None
            if name is None or name in general or _odd(name):
                return True
    return False


def lets_through(node: ast.expr) -> bool:
    """Whether an exception in the body of a `with` goes on after it."""
    func = node.func if isinstance(node, ast.Call) else None
    name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
    return name in _TRANSPARENT


def _odd(name: str) -> bool:
    """Whether a name is no exception of Python's own."""
    return not hasattr(builtins, name)


def truth(test: ast.expr) -> bool | None:
    """Whether a condition holds, when its text alone tells."""
    if isinstance(test, ast.Constant):
        return bool(test.value)
    name = test.attr if isinstance(test, ast.Attribute) else getattr(test, "id", "")
    if name == "TYPE_CHECKING":
        return False
    if isinstance(test, ast.Compare) and isinstance(test.left, ast.Name):
        other = test.comparators[0]
        is_main = isinstance(other, ast.Constant) and other.value == "__main__"
        if test.left.id == "__name__" and is_main and isinstance(test.ops[0], ast.Eq):
            return True
    return None


def never_empty(node: ast.expr) -> bool:
    """Whether a loop over this runs at least once."""
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return bool(node.elts) and not isinstance(node.elts[0], ast.Starred)
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and bool(node.value)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range":
        numbers = [each.value for each in node.args if isinstance(each, ast.Constant)]
        whole = [each for each in numbers if isinstance(each, int)]
        known = 1 <= len(node.args) == len(whole) <= 3 and whole[2:] != [0]
        return known and range(*whole)[:1] != range(0)
    return False


class _Scan(ast.NodeVisitor):
    """Gathers the names of one body, and those of the bodies within it."""

    def __init__(self) -> None:
        self.scope = Scope()
        self._changed: set[str] = set()
        self._guards = 0

    def closed(self) -> Scope:
        """The scope, once the whole body has been seen."""
        scope = self.scope
        own = scope.locals
        scope.reads = {name: line for name, line in scope.reads.items() if name not in own}
        changed = {name for name in self._changed if name not in own}
        scope.writes |= (scope.declared & scope.bound) | changed
        return scope

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self._read(node.id, node.lineno)
        else:
            self.scope.bound.add(node.id)

    def _read(self, name: str, line: int) -> None:
        self.scope.reads.setdefault(name, line)
        if self._guards:
            self.scope.guarded.add(name)

    def visit_Global(self, node: ast.Global) -> None:
        self.scope.declared.update(node.names)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        self.scope.outer.update(node.names)

    def visit_Yield(self, node: ast.Yield) -> None:
        self.scope.yields = True
        self.generic_visit(node)

    def visit_YieldFrom(self, node: ast.YieldFrom) -> None:
        self.scope.yields = True
        self.generic_visit(node)

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            self.scope.bound.add(alias.asname or alias.name.partition(".")[0])

    visit_ImportFrom = visit_Import

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self.scope.bound.add(node.name)
        self.generic_visit(node)

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        if node.name:
            self.scope.bound.add(node.name)
        self.generic_visit(node)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        if node.name:
            self.scope.bound.add(node.name)

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        if node.rest:
            self.scope.bound.add(node.rest)
        self.generic_visit(node)

    def visit_If(self, node: ast.If) -> None:
        """A branch that no run takes reads nothing, but what it binds is local all the same."""
        if truth(node.test) is not False:
            self.generic_visit(node)
            return
        self.scope.bound |= bound_in(node.body)
        for each in node.orelse:
            self.visit(each)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """In a function nobody evaluates the annotation of a name."""
        self._note_changes(node.target)
        self.visit(node.target)
        if node.value is not None:
            self.visit(node.value)

    def visit_Try(self, node: ast.Try) -> None:
        guards = catches(node.handlers, "NameError")
        self._guards += guards
        for each in node.body:
            self.visit(each)
        self._guards -= guards
        for part in (*node.handlers, *node.orelse, *node.finalbody):
            self.visit(part)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.scope.bound.add(node.name)
        for outside in (*node.decorator_list, *_defaults(node.args)):
            self.visit(outside)
        self._take(_scanned(node))

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> None:
        for default in _defaults(node.args):
            self.visit(default)
        self._take(_scanned(node))

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.scope.bound.add(node.name)
        for outside in (*node.decorator_list, *_named_bases(node)):
            self.visit(outside)
        self._take(class_scope(node))

    def _take(self, inner: Scope) -> None:
        """What a body within this one reads and changes of what is outside of it."""
        for name, line in inner.reads.items():
            self._read(name, line)
        self.scope.guarded |= inner.guarded
        self._changed |= inner.writes
        self.scope.declared |= inner.declared & inner.writes
        self.scope.writes |= inner.declared & inner.writes

    def generic_visit(self, node: ast.AST) -> None:
        if isinstance(node, _COMPREHENSIONS):
            self._comprehension(node)
            return
        self._note_changes(node)
        super().generic_visit(node)

    def _comprehension(self, node: ast.AST) -> None:
        inner = _Scan()
        super(_Scan, inner).generic_visit(node)
        targets = {
            name for each in getattr(node, "generators", ()) for name in names_in(each.target)
        }
        self.scope.bound |= inner.scope.bound - targets
        for name, line in inner.scope.reads.items():
            if name not in targets:
                self._read(name, line)
        self.scope.guarded |= inner.scope.guarded - targets
        self._changed |= inner._changed - targets

    def _note_changes(self, node: ast.AST) -> None:
        if isinstance(node, ast.Attribute) and (node.attr in REACHING or is_modules(node)):
            self._read("globals", node.lineno)
        if isinstance(node, (ast.Subscript, ast.Attribute)) and not isinstance(node.ctx, ast.Load):
            self._change(node.value)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            self._read(node.target.id, node.lineno)
            self._changed.add(node.target.id)
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            # What the elements go through may go for the whole.
            self._changed.update(names_in(node.iter))
        elif isinstance(node, ast.Call):
            self._note_call(node)

    def _note_call(self, node: ast.Call) -> None:
        func = node.func
        if isinstance(func, ast.Name) and func.id in PLAIN_FUNCTIONS:
            return
        if isinstance(func, ast.Attribute):
            if only_reads(func.attr):
                return
            self._change(func.value)
        for given in (*node.args, *(each.value for each in node.keywords)):
            self._changed.update(names_in(given))

    def _change(self, node: ast.AST) -> None:
        name = root_of(node)
        if name is not None:
            self._changed.add(name)


def _named_bases(node: ast.ClassDef) -> Iterator[ast.expr]:
    """What a class is made from; in `class A[T](B[T])` not what only names its own types."""
    for each in (*node.bases, *(keyword.value for keyword in node.keywords)):
        if type_names(node).isdisjoint(names_in(each)):
            yield each


def _defaults(given: ast.arguments) -> Iterator[ast.expr]:
    return (each for each in (*given.defaults, *given.kw_defaults) if each is not None)


def class_scope(node: ast.ClassDef) -> Scope:
    """What the body and the methods of a class read and change outside of it."""
    scan = _Scan()
    scan.scope.bound.update(type_names(node))
    methods = [each for each in node.body if isinstance(each, _FUNCTIONS)]
    for part in node.body:
        if part not in methods:
            scan.visit(part)
    for method in methods:
        scan.scope.bound.add(method.name)
        for outside in (*method.decorator_list, *_defaults(method.args)):
            scan.visit(outside)
    scope = scan.closed()
    for method in methods:
        inner = _scanned(method)
        for name, line in inner.reads.items():
            if name not in type_names(node):
                scope.reads.setdefault(name, line)
        scope.guarded |= inner.guarded
        scope.writes |= inner.writes
        scope.declared |= inner.declared & inner.writes
    return scope
