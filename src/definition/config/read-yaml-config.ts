/** Reads `loopwright.yaml`: its settings with their positions, or its problems. */

import type { Json } from '../../loop/index.ts'
import { configSchema } from '../../protocol/config/config-schema.ts'
import { listSettings } from '../../protocol/config/setting-rules.ts'
import { issueProblems, issueReason } from '../../protocol/loop-file/issue-problems.ts'
import { pathName } from '../loop-file/loop-file-error.ts'
import type { SourceText } from '../loop-file/source-text.ts'
import { offsetOf } from '../loop-file/yaml-nodes.ts'
import { readYaml } from '../loop-file/yaml-values.ts'
import type { ReadConfig } from './read-loop-config.ts'

export async function readYamlConfig(
  source: SourceText,
  file: string,
  of: 'project' | 'user',
): Promise<ReadConfig> {
  const yaml = await import('yaml')
  const { value, place, problems } = readYaml(yaml, source)
  if (problems.length > 0) {
    const found = problems.map(({ at, path, reason }) => ({
      file,
      ...source.positionAt(at),
      path: pathName(path),
      reason,
    }))
    return { entries: [], problems: found, notes: [] }
  }
  const parsed = configSchema.safeParse(asKeys(value), { error: issueReason, reportInput: true })
  if (!parsed.success) {
    const found = issueProblems(parsed.error.issues).map(({ path, reason, atKey = false }) => ({
      file,
      ...source.positionAt(offsetOf(place, path, atKey)),
      path: pathName(path),
      reason,
    }))
    return { entries: [], problems: found, notes: [] }
  }
  const entries = listSettings(parsed.data).map(([rule, setting]) => {
    const at = source.positionAt(offsetOf(place, rule.name.split('.'), true))
    return { rule, value: setting, origin: { type: of, file, ...at } }
  })
  return { entries, problems: [], notes: [] }
}

/** An empty file or an empty group sets nothing. */
function asKeys(value: Json): Json {
  if (value === null) return {}
  if (typeof value !== 'object' || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== null))
}
