/** The spec and the plan of a run, by their paths. Its input has them, if its loop works on files like that. */

import { type Blobs, load } from '../../engine/index.ts'
import type { Json, RunCreated } from '../../loop/index.ts'
import { field } from '../run-folder/step-text.ts'

export interface SpecFiles {
  readonly spec?: string
  readonly plan?: string
}

export async function readSpecFiles(
  { blobs }: { readonly blobs: Blobs },
  { input }: Pick<RunCreated, 'input'>,
): Promise<SpecFiles> {
  // The content of a large input may have been deleted.
  const value = await load(input, blobs).catch(() => undefined)
  const [spec, plan] = [pathOf(value, 'spec'), pathOf(value, 'plan')]
  return { ...(spec === undefined ? {} : { spec }), ...(plan === undefined ? {} : { plan }) }
}

function pathOf(input: Json | undefined, name: string): string | undefined {
  const path = field(field(input, name), 'path')
  return typeof path === 'string' ? path : undefined
}
