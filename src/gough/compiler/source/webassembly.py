"""A program as a JavaScript module around WebAssembly: for batches of samples in browsers."""

from __future__ import annotations

import json
from base64 import b64encode
from importlib.resources import files

from gough.compiler.front.program import Program
from gough.compiler.native.webassembly import webassembly
from gough.compiler.source.javascript import mathematics
from gough.compiler.source.language import banner, comment
from gough.compiler.source.signature import signature


def webassembly_source(program: Program) -> str:
    """An ES module of one function, which loads the code and resolves to what runs it."""
    made = webassembly(program)
    runner = files("gough.compiler.source").joinpath("batch.js").read_text(encoding="utf-8")
    described = json.dumps(signature(program), indent=2, ensure_ascii=False)
    lines = [f"Resolves to a function (inputs, count): {program.doc.strip()}", "", "See `batch`."]
    return "\n".join(
        [
            banner(program),
            f"export const signature = {described};\n",
            comment(lines, "/**"),
            f"export async function {program.name}() {{",
            "  const code = Uint8Array.from(atob(CODE), (c) => c.charCodeAt(0));",
            "  return batch(code, signature, mathematics);",
            "}\n",
            mathematics(made.calls),
            runner.replace("export async", "async"),
            f'const CODE = "{b64encode(made.content).decode()}";',
            "",
        ]
    )
