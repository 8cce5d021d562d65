/** Finds programs of a command line that are certainly missing. In doubt they count as present. */

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { findProgram } from '../../sandbox/index.ts'

export interface ToolSearch {
  readonly workspace: string
  readonly path: string
  /** Dependencies may provide programs that are not installed yet. */
  readonly hasPackages: boolean
}

/** Builtins and keywords, which need not exist as files. */
const shellWords = new Set(
  '. : [ [[ alias bg break case cd command continue declare do done echo elif else env esac eval exec exit export false fg fi for function getopts hash if in jobs kill let local printf pwd read readonly return select set shift source test then time times trap true type ulimit umask unset until wait while { ( }'.split(
    ' ',
  ),
)
/** A word with one of these is left to the shell. */
const needsShell = /[`$(){}<>*?\\"'~#!]/
/** No dependency layer provides these. */
const systemPrograms = new Set(
  'npm npx node python python3 go cargo rustc make just mvn gradle java ruby deno php uv poetry'.split(
    ' ',
  ),
)

export function missingTools(line: string, place: ToolSearch): readonly string[] {
  const missing = new Set<string>()
  for (const part of line.split(/&&|\|\||[;|\n]/)) {
    // Quoted text continues after the separator, so what follows may not be a command.
    if ((part.match(/["']/g) ?? []).length % 2 === 1) break
    const words = part.trim().split(/\s+/)
    const program = words.find((word) => !/^[A-Za-z_]\w*=/.test(word))
    if (program === undefined || program === '' || needsShell.test(program)) continue
    if (shellWords.has(program) || isPresent(program, place)) continue
    missing.add(program)
  }
  return [...missing]
}

function isPresent(program: string, { workspace, path, hasPackages }: ToolSearch): boolean {
  // A relative path may be created by a build.
  if (program.includes('/'))
    return existsSync(resolve(workspace, program)) || !program.startsWith('/')
  if (findProgram(program, path) !== undefined) return true
  return hasPackages && !systemPrograms.has(program)
}
