export const plainSummary = {
  name: 'plain',
  description: 'Runs an agent on a prompt until the checks pass.',
  hasOperations: false,
} as const
