/** The text of a loop file of the catalog for one project: with its agent, its checks and its registries. */

import type { Stack } from '../../evidence/index.ts'
import type { Json } from '../../loop/index.ts'
import type { InitText } from '../init/loop-text.ts'
import type { CatalogFile } from './read-catalog.ts'

export interface CatalogDraft {
  /** The value of `agent` in the loop file. */
  readonly agent: Json
  /** Commands by name. Used only by loops that change files. */
  readonly checks: Readonly<Record<string, string>>
  readonly stacks: readonly Pick<Stack, 'name'>[]
}

export async function catalogText(
  { text, entry: { description, cadence, dailyTokens } }: CatalogFile,
  { agent, checks, stacks }: CatalogDraft,
  { schema, workspace, run }: InitText,
): Promise<string> {
  const { parseDocument } = await import('yaml')
  const document = parseDocument(text)
  document.set('workspace', workspace)
  document.set('agent', agent)
  if (document.has('checks')) document.set('checks', checks)
  if (document.hasIn(['sandbox', 'network'])) {
    const hosts = [...new Set(stacks.flatMap(({ name }) => registryHosts[name] ?? []))]
    if (hosts.length === 0) document.delete('sandbox')
    else document.setIn(['sandbox', 'network'], document.createNode(hosts, { flow: true }))
  }
  return `# yaml-language-server: $schema=${schema}
# ${description}
# Try it:       ${run}
# Schedule it:  loopctl schedule add ${run.slice('loopctl run '.length)} '${cadence}' --daily-tokens ${dailyTokens}
${document.toString({ lineWidth: 0 })}`
}

/** The public registries, for the package managers of each stack. */
const registryHosts: Readonly<Record<string, readonly string[]>> = {
  node: ['registry.npmjs.org', 'registry.yarnpkg.com'],
  python: ['pypi.org', 'files.pythonhosted.org'],
  rust: ['index.crates.io', 'static.crates.io'],
  go: ['proxy.golang.org', 'sum.golang.org'],
  maven: ['repo.maven.apache.org'],
  gradle: ['repo.maven.apache.org', 'plugins.gradle.org'],
}
