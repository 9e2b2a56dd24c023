export default {
  // Where Programs are: every module that exports a definition.
  programs: ['programs/**/*.ts'],
}
