export default {
  // The files that define Programs.
  programs: ['programs/**/*.ts'],
}
