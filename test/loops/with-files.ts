/** A workspace in memory, with what a real one offers besides: changes, patches and files. */

import type { Workspace } from '../../src/engine/index.ts'
import type { MemoryWorkspace } from '../engine/fixture.ts'

export function withFiles(workspace: MemoryWorkspace): Workspace {
  const { files, trees } = workspace
  const changes: NonNullable<Workspace['changes']> = async (before, after) => {
    const [from, to] = [before, after].map((tree) => new Map(trees.get(tree) ?? []))
    return [...new Set([...(from?.keys() ?? []), ...(to?.keys() ?? [])])]
      .filter((path) => from?.get(path) !== to?.get(path))
      .toSorted()
  }
  return {
    ...workspace,
    changes,
    async patch(before, after) {
      const [from, to] = [before, after].map((tree) => new Map(trees.get(tree) ?? []))
      return (await changes(before, after))
        .flatMap((path) => [`--- a/${path}`, ...compare(from?.get(path), to?.get(path))])
        .join('\n')
    },
    readText: async (path) => files.get(path),
    async writeText(path, text) {
      files.set(path, text)
    },
  }
}

/** What differs between the first and the last line that do. */
function compare(before = '', after = ''): string[] {
  const [old, now] = [before, after].map((text) => text.split('\n'))
  if (old === undefined || now === undefined) return []
  while (old.length > 0 && old[0] === now[0]) [old, now].forEach((lines) => lines.shift())
  while (old.length > 0 && old.at(-1) === now.at(-1)) [old, now].forEach((lines) => lines.pop())
  return [...old.map((line) => `-${line}`), ...now.map((line) => `+${line}`)]
}
