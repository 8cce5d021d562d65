/** Finds targets of a Makefile and recipes of a justfile that check something. */

import type { TreeReader } from '../../engine/index.ts'
import type { TreeId } from '../../loop/index.ts'
import { writesFiles } from './writes-files.ts'

interface TaskFile {
  readonly names: readonly string[]
  readonly program: string
  /** Matches the start of a target. */
  readonly target: (name: string) => RegExp
}

const taskFiles: readonly TaskFile[] = [
  {
    names: ['GNUmakefile', 'makefile', 'Makefile'],
    program: 'make',
    target: (name) => new RegExp(`^${name}[ \\t]*:(?![:=])`, 'm'),
  },
  {
    names: ['justfile', 'Justfile', '.justfile'],
    program: 'just',
    target: (name) => new RegExp(`^@?${name}(?:[ \\t][^:=\\n]*)?:(?!=)`, 'm'),
  },
]

const targets = {
  test: ['test', 'tests', 'check'],
  types: ['typecheck', 'type-check', 'types', 'mypy'],
  lint: ['lint', 'lint-check'],
} as const

const bytesMax = 1024 * 1024

/** `make test`, or undefined if there is no such target. */
export async function taskCommand(
  reader: TreeReader,
  tree: TreeId,
  kind: keyof typeof targets,
): Promise<string | undefined> {
  const files = await reader.list(tree)
  for (const { names, program, target } of taskFiles) {
    const file = names.find((name) => files.has(name))
    const bytes = file === undefined ? undefined : await reader.read(tree, file, bytesMax)
    if (bytes === undefined) continue
    const text = new TextDecoder().decode(bytes)
    const named = targets[kind].find((name) => {
      const at = text.search(target(name))
      return at !== -1 && !writesFiles(recipeAt(text, at))
    })
    if (named !== undefined) return `${program} ${named}`
  }
  return undefined
}

/** The indented lines of a target. */
function recipeAt(text: string, at: number): string {
  const [, ...lines] = text.slice(at).split('\n')
  const end = lines.findIndex((line) => /^\S/.test(line))
  return lines.slice(0, end === -1 ? undefined : end).join(' ; ')
}
