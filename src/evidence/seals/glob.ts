/**
 * Patterns over the paths of a tree. The owner of a loop file writes the patterns, the agent chooses the paths: a pattern
 * that could take long on some path is refused before it is used.
 */

import picomatch from 'picomatch'
import { LoopError } from '../../loop/index.ts'

const globCharsMax = 500
const globsMax = 200
const starsMax = 6

export interface GlobOptions {
  readonly exactCase?: boolean
}

/** A pattern without a slash matches names in any folder; `/x` and `a/x` start at the root. */
export function compileGlob(pattern: string, { exactCase = false }: GlobOptions = {}): RegExp {
  const whole = pattern.includes('/') ? pattern.replace(/^\.?\//, '') : `**/${pattern}`
  return picomatch.makeRe(whole, {
    dot: true,
    nonegate: true,
    noextglob: true,
    nocase: !exactCase,
    maxLength: globCharsMax + 10,
  })
}

/** What is wrong with a pattern of a loop file, and what to do; undefined: nothing. */
export function globProblem(pattern: string): string | undefined {
  const shown = JSON.stringify(pattern.slice(0, 80))
  if (pattern === '' || pattern.length > globCharsMax) {
    return `${shown} is empty or longer than ${globCharsMax} characters. Write a pattern like "tests/**".`
  }
  if (pattern.split('/').includes('..')) {
    return `${shown} leads out of the project. Write a pattern relative to its root, without "..".`
  }
  if (/[()+!^|\\]/.test(pattern)) {
    return `${shown} has one of ( ) + ! ^ | \\, which patterns do not support. Use *, **, ?, [abc] and {a,b}.`
  }
  const stars = pattern.split('/').map((part) => (part === '**' ? 1 : part.split('*').length - 1))
  if (stars.reduce((sum, count) => sum + count, 0) > starsMax || Math.max(...stars) > 2) {
    return `${shown} has too many stars: at most two in a name and ${starsMax} in total. Split it into two patterns.`
  }
  return undefined
}

/** Rejects with `bad-loop-file`. */
export function compileGlobs(patterns: readonly string[], where: string): readonly RegExp[] {
  if (patterns.length > globsMax) {
    throw new LoopError(
      'bad-loop-file',
      `${where} has ${patterns.length} patterns; the limit is ${globsMax}. Use ** to cover folders.`,
    )
  }
  return patterns.map((pattern) => {
    const problem = globProblem(pattern)
    if (problem !== undefined) throw new LoopError('bad-loop-file', `${where}: ${problem}`)
    return compileGlob(pattern)
  })
}

export const matchesAny = (path: string, globs: readonly RegExp[]): boolean =>
  globs.some((glob) => glob.test(path))
