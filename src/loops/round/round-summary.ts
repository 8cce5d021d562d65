export const roundSummary = {
  name: 'round',
  description:
    'One round of a chore: a maker works, an independent checker verifies, a gate decides about one action.',
  hasOperations: false,
} as const
