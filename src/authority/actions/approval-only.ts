import type { Actions } from '../../engine/index.ts'

/** The default executor: a decision is recorded, and nothing is performed. */
export const approvalOnly: Actions = {
  perform: async ({ kind }) => ({
    status: 'skipped',
    summary: `no external action executor configured (${kind})`,
  }),
  find: async () => ({ type: 'not-done' }),
}
