/** What a project is written with, as far as its files say. */

import type { TreeReader } from '../../engine/index.ts'
import type { TreeId } from '../../loop/index.ts'

export type StackName = 'node' | 'python' | 'rust' | 'go' | 'maven' | 'gradle'

/** Document 001's. */
export type ConditionName =
  | 'all_tests_pass'
  | 'build_succeeds'
  | 'linting_clean'
  | 'security_scan_clean'

export const conditionNames: readonly ConditionName[] = [
  'all_tests_pass',
  'build_succeeds',
  'linting_clean',
  'security_scan_clean',
]

export const isConditionName = (name: string): name is ConditionName =>
  conditionNames.some((known) => known === name)

export interface Stack {
  readonly name: StackName
  /** From the root of the tree, with a slash at its end; `''` is the root. */
  readonly folder: string
  /** What says so. */
  readonly manifest: string
}

const manifests: readonly { readonly name: StackName; readonly files: readonly string[] }[] = [
  { name: 'node', files: ['package.json'] },
  {
    name: 'python',
    files: ['pyproject.toml', 'setup.py', 'setup.cfg', 'requirements.txt', 'Pipfile', 'tox.ini'],
  },
  { name: 'rust', files: ['Cargo.toml'] },
  { name: 'go', files: ['go.mod', 'go.work'] },
  { name: 'maven', files: ['pom.xml'] },
  {
    name: 'gradle',
    files: ['settings.gradle', 'settings.gradle.kts', 'build.gradle', 'build.gradle.kts'],
  },
]

const foldersMax = 10
const passedOver = /^(?:node_modules|vendor|test|tests|examples?|docs|fixtures|\..*)$/

/** Those in the root; where it has none, those of the folders in it. Each stack once in a folder. */
export async function detectStacks(reader: TreeReader, tree: TreeId): Promise<readonly Stack[]> {
  const files = await reader.list(tree)
  const inFolder = (folder: string): readonly Stack[] =>
    manifests.flatMap(({ name, files: names }) => {
      const manifest = names.find((file) => isFile(files.get(`${folder}${file}`)?.kind))
      return manifest === undefined ? [] : [{ name, folder, manifest: `${folder}${manifest}` }]
    })
  const root = inFolder('')
  if (root.length > 0) return root
  const tops = new Set<string>()
  for (const path of files.keys()) {
    const [top = '', ...rest] = path.split('/')
    if (rest.length > 0 && !passedOver.test(top)) tops.add(`${top}/`)
  }
  return [...tops].toSorted().flatMap(inFolder).slice(0, foldersMax)
}

const isFile = (kind: string | undefined): boolean => kind === 'file' || kind === 'executable'
