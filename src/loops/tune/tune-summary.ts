export const tuneSummary = {
  name: 'tune',
  description:
    'Improves files such as prompts against cases, and says with a stated confidence whether they got better.',
  hasOperations: true,
} as const
