/** Schemas of what is recorded about actions. */

import { z } from 'zod'
import type { Action, Permission, Receipt } from '../../loop/index.ts'
import { exactly } from '../exactly.ts'
import { json } from '../values.ts'

const text = z.string()

export const actionSchema: z.ZodType<Action> = exactly<Action>()(
  z.strictObject({ kind: text, summary: text, details: json.exactOptional() }),
)

export const receiptSchema: z.ZodType<Receipt> = exactly<Receipt>()(
  z.strictObject({
    status: z.enum(['done', 'refused', 'skipped']),
    summary: text,
    details: json.exactOptional(),
  }),
)

export const permissionSchema: z.ZodType<Permission> = exactly<Permission>()(
  z.strictObject({ by: z.enum(['rule', 'person']), name: text }),
)
