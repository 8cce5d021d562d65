/** The tool `grep`: finds lines that match a regular expression or contain a text. */

import type { BigIntStats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { z } from 'zod'
import { plural } from '../loop/excerpt/plural.ts'
import { hasErrorCode } from './file-errors.ts'
import type { Folder } from './folder.ts'
import type { SearchOptions } from './glob.ts'
import { createGlobMatcher, globCharsMax, toSkippedFolders } from './glob-pattern.ts'
import { createLineSearch, type LineSearch } from './grep-lines.ts'
import { createLineMatcher } from './line-matcher.ts'
import { printable } from './list.ts'
import type { Matcher } from './matcher.ts'
import { notAFile, withFile, withFileIn } from './open-file.ts'
import { withFolder } from './open-folder.ts'
import { isOutputPath } from './path-text.ts'
import { defineTool, type Tool, type ToolRunContext } from './tool.ts'
import { walkFolder } from './walk-folder.ts'
import { withLocation } from './workspace-path.ts'

const resultsMax = 50
const filesMax = 50_000
const bytesMax = 1_000_000_000

const parameters = z.strictObject({
  pattern: z.string().min(1).max(1000).describe('A regular expression for one line.'),
  path: z
    .string()
    .min(1)
    .default('.')
    .describe('The file or folder to search, or @output/<n>.txt.'),
  include: z
    .string()
    .min(1)
    .max(globCharsMax)
    .optional()
    .describe('Only files whose path matches this, such as *.ts or src/**/*.md.'),
  literal: z.boolean().default(false).describe('The pattern is plain text.'),
  ignoreCase: z.boolean().default(false),
  maxResults: z.int().min(1).max(resultsMax).default(resultsMax),
})

/** One search: its options and its progress. */
interface Search {
  readonly options: z.output<typeof parameters>
  readonly context: ToolRunContext
  readonly skip: readonly string[]
  readonly include: Matcher | undefined
  readonly lines: LineSearch
  files: number
  bytes: number
  isCut: boolean
}

export function grepTool({ skip, patternMs }: SearchOptions): Tool {
  return defineTool({
    name: 'grep',
    description:
      'Searches files line by line and gives path:line: text. ' +
      `Binary files are left out. Not searched: ${['.git', ...skip].join(', ')}.`,
    parameters,
    risk: 'read-only',
    run: async (options, context) => {
      const open: Matcher[] = []
      const track = (matcher: Matcher): Matcher => {
        open.push(matcher)
        return matcher
      }
      const limits = { signal: context.signal, answerMs: patternMs }
      try {
        const { include, maxResults } = options
        const matcher = track(createLineMatcher(options, limits))
        const search: Search = {
          options,
          context,
          skip,
          include: include === undefined ? undefined : track(createGlobMatcher(include, limits)),
          // One more, to detect that there are more.
          lines: createLineSearch(matcher, maxResults + 1, limits.signal),
          files: 0,
          bytes: 0,
          isCut: false,
        }
        await searchPath(search)
        await search.lines.finish()
        return report(search)
      } finally {
        await Promise.all(open.map((matcher) => matcher.close()))
      }
    },
  })
}

async function searchPath(search: Search): Promise<void> {
  const { context, options } = search
  const { path } = options
  if (isOutputPath(path)) {
    return withFile(context, path, ({ handle, stats }) => searchIn(search, path, handle, stats))
  }
  const isFolder = await withLocation(
    context,
    path,
    {},
    async ({ found, folder, name, path: real }) => {
      if (found?.isDirectory() !== false) return true
      if (name === undefined || !found.isFile()) throw notAFile(path, found)
      await withFileIn(folder, name, path, (handle, stats) => searchIn(search, real, handle, stats))
      return false
    },
  )
  if (isFolder) await withFolder(context, path, (folder) => searchBelow(search, folder))
}

async function searchBelow(search: Search, folder: Folder): Promise<void> {
  const { context, options, include } = search
  const skip = toSkippedFolders(search.skip, options.include ?? '')
  const onLimit = (): void => {
    search.isCut = true
  }
  const prefix = folder.path === '' ? 0 : folder.path.length + 1
  for await (const entry of walkFolder(folder, { skip, signal: context.signal, onLimit })) {
    if (entry.kind !== 'file') continue
    const [isIncluded] = (await include?.find([entry.path.slice(prefix)])) ?? [true]
    if (isIncluded === undefined) continue
    if (search.files >= filesMax || search.bytes >= bytesMax) return onLimit()
    await withFileIn(entry.folder, entry.name, entry.path, (handle, stats) =>
      searchIn(search, entry.path, handle, stats),
    ).catch(ignoreGone)
    if (search.lines.isFull) return
  }
}

async function searchIn(
  search: Search,
  path: string,
  handle: FileHandle,
  { size }: BigIntStats,
): Promise<void> {
  search.files++
  search.bytes += Number(size)
  await search.lines.add(path, handle)
}

/** Files come and go while others work; a missing file is not an error. */
function ignoreGone(error: unknown): void {
  const codes = ['ENOENT', 'ELOOP', 'ENXIO', 'EACCES', 'EPERM', 'not-a-file', 'hidden']
  if (!hasErrorCode(error, ...codes)) throw error
}

function report({ lines: { found }, files, isCut, options }: Search): string {
  const { maxResults } = options
  const lines = found
    .slice(0, maxResults)
    .map(({ path, line, text }) => `${printable(path)}:${line}: ${text}`)
  if (lines.length === 0) lines.push(`[No line matches in ${plural(files, 'file')}.]`)
  if (found.length > maxResults) {
    lines.push(`[More than ${maxResults} lines match: narrow the pattern, the path or include.]`)
  }
  if (isCut) lines.push('[Not everything was searched: there is too much. Give a path.]')
  return lines.join('\n')
}
