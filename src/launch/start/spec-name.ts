/** Names the run of a spec after the spec, where no model names runs. */

import { type Json, specSlug } from '../../loop/index.ts'
import type { RunSettings } from '../../protocol/api/index.ts'
import { isJsonObject } from '../../protocol/index.ts'

interface SpecNaming {
  /** What the run is named after, if it is named after its file. */
  readonly loop?: string
  readonly source?: 'file'
}

export function nameBySpec(
  { source = 'auto', model }: NonNullable<RunSettings['naming']> = {},
  input: Json,
): SpecNaming {
  const loop = specOf(input)
  if (loop === undefined) return {}
  return source === 'auto' && model === undefined ? { loop, source: 'file' } : { loop }
}

function specOf(input: Json): string | undefined {
  const spec = isJsonObject(input) ? input['spec'] : undefined
  const path = isJsonObject(spec) ? spec['path'] : spec
  return typeof path === 'string' && path !== '' ? specSlug(path) : undefined
}
