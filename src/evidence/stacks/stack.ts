/** Detects the languages and tools of a project by its files. */

import type { TreeReader } from '../../engine/index.ts'
import type { TreeId } from '../../loop/index.ts'

export type StackName = 'node' | 'python' | 'rust' | 'go' | 'maven' | 'gradle'

/** The standard conditions. */
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
  /** Relative to the tree, with a trailing slash; `''` is the root. */
  readonly folder: string
  /** The file that it was detected by. */
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
const ignoredFolders = /^(?:node_modules|vendor|test|tests|examples?|docs|fixtures|\..*)$/

/** The stacks at the root; if there are none, those of its folders. Each stack once per folder. */
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
    if (rest.length > 0 && !ignoredFolders.test(top)) tops.add(`${top}/`)
  }
  return [...tops].toSorted().flatMap(inFolder).slice(0, foldersMax)
}

const isFile = (kind: string | undefined): boolean => kind === 'file' || kind === 'executable'
