/** JSON Schemas of the files that users write. */

import { z } from 'zod'
import { describedKeys } from './value-schemas.ts'

export type JsonSchema = z.core.JSONSchema.BaseSchema

/** In draft 7, because the YAML language server expects it. `adjust` changes the schema of a part. */
export function toDraft7(
  schema: z.ZodType,
  head: { readonly $id?: string; readonly title?: string } = {},
  adjust: (part: z.core.$ZodType, written: JsonSchema) => void = () => {},
): JsonSchema {
  const { $schema, ...shape } = z.toJSONSchema(schema, {
    target: 'draft-7',
    io: 'input',
    metadata: describedKeys,
    // Zod omits examples of transformed values; ours show the written form.
    override: ({ zodSchema, jsonSchema }) => {
      const examples = describedKeys.get(zodSchema)?.examples
      if (examples !== undefined) jsonSchema.examples = [...examples]
      adjust(zodSchema, jsonSchema)
    },
  })
  return { ...($schema !== undefined && { $schema }), ...head, ...shape }
}
