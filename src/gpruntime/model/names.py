"""Which names a definition takes from around it: from its module, from a function around it, or from Python."""

from __future__ import annotations

import ast
import copy
import symtable
from typing import NamedTuple

Definition = ast.FunctionDef | ast.ClassDef
_RUN_AT_ONCE = ("listcomp", "setcomp", "dictcomp", "genexpr")


class Names(NamedTuple):
    """What a definition takes from around it.

    Attributes:
        mentioned: names that nothing in the definition gives a meaning, also where Python never looks them up, as in
            an annotation. The first addresses were made of them, so they stay in the text.
        looked_up: names that Python looks up there, when the definition is executed or when it is called. One of them
            may have another meaning in some inner scope, such as a lambda's argument.
        at_once: those of them that are looked up when the definition is executed: in decorators, defaults, bases.
    """

    mentioned: set[str]
    looked_up: set[str]
    at_once: set[str]


def names_of(definition: Definition) -> Names:
    """The names of a function or a class."""
    is_class = isinstance(definition, ast.ClassDef)
    mentioned = _outside_class(definition) if is_class else _used(definition) - _bound(definition)
    plain = _Unannotated().visit(copy.deepcopy(definition))
    module = symtable.symtable(ast.unparse(plain), "<part>", "exec")
    looked_up, at_once = _of_scope(module, True)
    if isinstance(plain, ast.ClassDef):
        early = _before_assignment(plain.body)
        looked_up, at_once = looked_up | early, at_once | early
    own = {definition.name}
    return Names(mentioned, looked_up - own, at_once - own)


def _of_scope(scope: symtable.SymbolTable, at_once: bool) -> tuple[set[str], set[str]]:
    """Global names of a scope and all in it, and those that are looked up when the definition is executed."""
    is_module = scope.get_type() == "module"
    symbols = [symbol for symbol in scope.get_symbols() if symbol.is_referenced()]
    here = {symbol.get_name() for symbol in symbols if is_module or symbol.is_global()}
    looked_up, early = set(here), here if at_once else set()
    for inner in scope.get_children():
        runs = at_once and (inner.get_type() == "class" or inner.get_name() in _RUN_AT_ONCE)
        more, sooner = _of_scope(inner, runs)
        looked_up, early = looked_up | more, early | sooner
    return looked_up, early


def _before_assignment(body: list[ast.stmt]) -> set[str]:
    """Names of a class's body that are used before they are given a meaning there, as in `LEAST = LEAST`."""
    found, assigned = set[str](), set[str]()
    for statement in body:
        if not isinstance(statement, ast.FunctionDef):
            loads = (node for node in ast.walk(statement) if isinstance(node, ast.Name))
            stores = _stored(statement)
            found |= {node.id for node in loads if isinstance(node.ctx, ast.Load)} & stores - assigned
            assigned |= stores
    return found


class _Unannotated(ast.NodeTransformer):
    """Takes out annotations, which need not mean anything when the definition is executed."""

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.Assign:
        value = node.value or ast.Constant(None)
        return ast.Assign([node.target], self.visit(value), lineno=node.lineno)


# ---- what is mentioned


def _used(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def _stored(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}


def _bound(definition: Definition) -> set[str]:
    """Names that the function itself gives a meaning: its own, arguments of it and of lambdas, what it assigns to."""
    found = {definition.name} | _stored(definition)
    for node in ast.walk(definition):
        if isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.FunctionDef):
            found.add(node.name)
    return found


def _outside_class(definition: ast.AST) -> set[str]:
    """Names that a class takes from around it: what one method binds, another does not see."""
    assert isinstance(definition, ast.ClassDef)
    body = [node for node in definition.body if not isinstance(node, ast.FunctionDef)]
    here = {name for node in body for name in _stored(node)}
    around = [*definition.bases, *definition.decorator_list, *(keyword.value for keyword in definition.keywords)]
    found = {name for node in (*body, *around) for name in _used(node)} - here
    for node in definition.body:
        if isinstance(node, ast.FunctionDef):
            found |= _used(node) - _bound(node)
    return found - {definition.name}
