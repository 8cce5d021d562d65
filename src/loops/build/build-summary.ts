export const buildSummary = {
  name: 'build',
  description:
    'Builds what a spec asks for: one task of a plan per iteration, reviewed and checked.',
  hasOperations: false,
} as const
