/** The tool `glob`: finds files by a path pattern. */

import { z } from 'zod'
import type { Folder } from './folder.ts'
import { createGlobMatcher, globCharsMax, toSkippedFolders } from './glob-pattern.ts'
import { printable } from './list.ts'
import type { Matcher } from './matcher.ts'
import { withFolder } from './open-folder.ts'
import { defineTool, type Tool, type ToolRunContext } from './tool.ts'
import { walkFolder } from './walk-folder.ts'

const pathsMax = 1000
const batchSize = 1000

const parameters = z.strictObject({
  pattern: z
    .string()
    .min(1)
    .max(globCharsMax)
    .describe('Such as src/**/*.ts; without a slash it is for names in any folder.'),
  path: z.string().min(1).default('.').describe('The folder to search.'),
})

export interface SearchOptions {
  /** Names of folders that are not entered, besides `.git`. */
  readonly skip: readonly string[]
  /** How long a pattern may take for a few thousand lines. */
  readonly patternMs: number
}

export function globTool({ skip, patternMs }: SearchOptions): Tool {
  return defineTool({
    name: 'glob',
    description:
      `Finds files by a pattern of their paths. At most ${pathsMax} are shown. ` +
      `Not searched: ${['.git', ...skip].join(', ')}.`,
    parameters,
    risk: 'read-only',
    run: async ({ pattern, path }, context) => {
      const matcher = createGlobMatcher(pattern, { signal: context.signal, answerMs: patternMs })
      try {
        return await withFolder(context, path, (folder) =>
          search(folder, matcher, toSkippedFolders(skip, pattern), context),
        )
      } finally {
        await matcher.close()
      }
    },
  })
}

async function search(
  folder: Folder,
  matcher: Matcher,
  skip: ReadonlySet<string>,
  { signal }: ToolRunContext,
): Promise<string> {
  const found: string[] = []
  let isCut = false
  const onLimit = (): void => {
    isCut = true
  }
  const prefix = folder.path === '' ? 0 : folder.path.length + 1
  let batch: string[] = []
  const flush = async (): Promise<void> => {
    const matches = await matcher.find(batch.map((path) => path.slice(prefix)))
    found.push(...matches.map(({ index }) => batch[index] ?? ''))
    batch = []
  }
  for await (const { path, kind } of walkFolder(folder, { skip, signal, onLimit })) {
    if (kind === 'other') continue
    batch.push(path)
    if (batch.length >= batchSize) await flush()
    if (found.length > pathsMax) break
  }
  await flush()
  if (found.length > pathsMax) isCut = true
  if (found.length === 0) {
    return isCut
      ? '[No file matches in what was searched, and there is more. Give a path.]'
      : '[No file matches.]'
  }
  const lines = found.slice(0, pathsMax).map(printable)
  const note = isCut ? ['[There are more: narrow the pattern, or give a path.]'] : []
  return [...lines, ...note].join('\n')
}
