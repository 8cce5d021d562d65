/**
 * Finds test files, and source files that may be changed. Nothing else is touched: no tests, no
 * configuration, nothing installed or built, nothing behind a link.
 */

import { readdir } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import type { Signal } from '../../loop/index.ts'
import { readSmallFile } from '../../system/index.ts'

export interface ProjectFile {
  /** Relative to the root, with slashes. */
  readonly path: string
  readonly text: string
}

export interface ProjectFiles {
  readonly sources: readonly ProjectFile[]
  readonly tests: readonly ProjectFile[]
  /** TypeScript that is neither, but may be loaded by a test. */
  readonly others: readonly ProjectFile[]
  /** How many files were left out because of the limits. */
  readonly leftOut: number
}

const extensions = new Set(['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts'])
const skippedFolders =
  /^(node_modules|bower_components|coverage|dist|build|out|docs?|example|examples|bench|benchmark|benchmarks|vendor|fixtures|perf|scripts|demo|website)$|^\./
const testFolders = /^(tests?|__tests__|specs?|e2e)$/
const testFiles = /(^|[._-])(tests?|specs?)\.[cm]?[jt]s$/
const configurations =
  /(^|\.)(config|conf|rc|setup)\.[cm]?[jt]s$|^(gruntfile|gulpfile|karma.*|rollup.*|webpack.*|makefile|vite.*|vitest.*|jest.*|bower|index\.d)\.[cm]?[jt]s$/i
const support =
  /(^|\/)(fixtures?|helpers?|mocks?|__mocks__|snapshots?|__snapshots__|data|support|browser)(\/|\.)/

const filesMax = 2000
const bytesMax = 512 * 1024
const depthMax = 12

export async function findFiles(root: string, signal?: Signal): Promise<ProjectFiles> {
  const found: { readonly path: string; readonly isTest: boolean }[] = []
  let leftOut = 0
  const scan = async (folder: string, depth: number, inTests: boolean): Promise<void> => {
    signal?.throwIfAborted()
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => [])
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory()) {
        const isTests = inTests || testFolders.test(entry.name)
        if (skippedFolders.test(entry.name) && !inTests) continue
        if (/^(node_modules|\..*)$/.test(entry.name) || depth >= depthMax) continue
        await scan(path, depth + 1, isTests)
      } else if (entry.isFile() && isCode(entry.name)) {
        if (found.length >= filesMax) leftOut++
        else found.push({ path, isTest: inTests || testFiles.test(entry.name) })
      }
    }
  }
  await scan('', 0, false)
  const sources: ProjectFile[] = []
  const tests: ProjectFile[] = []
  const others: ProjectFile[] = []
  for (const { path, isTest } of found) {
    signal?.throwIfAborted()
    const text = await readSmallFile(join(root, path), bytesMax).catch(() => undefined)
    if (text === undefined) leftOut++
    else if (!isTest) (isConfiguration(path) ? others : sources).push({ path, text })
    else (support.test(path) || !mayBeTest(text) ? others : tests).push({ path, text })
  }
  return { sources, tests, others, leftOut }
}

const isCode = (name: string): boolean =>
  extensions.has(extname(name)) && !/\.d\.[cm]?ts$|\.min\.js$/.test(name)

const isConfiguration = (path: string): boolean => configurations.test(basename(path))

/** A file in a test folder without assertions is only a helper. */
const mayBeTest = (text: string): boolean =>
  /\b(assert|expect|should|test|it|describe|suite|tape|throw|exit)\b/.test(text)
