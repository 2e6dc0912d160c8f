class Memotheca < Formula
  desc "Knowledge and memory server for AI agents and the people who work with them"
  homepage "@REPOSITORY@"
  url "@REPOSITORY@/releases/download/v@VERSION@/@WHEEL@", using: :nounzip
  sha256 "@WHEEL_SHA256@"
  license "Apache-2.0"

  depends_on "python@3.13"

  resource "requirements" do
    url "@REPOSITORY@/releases/download/v@VERSION@/requirements.lock", using: :nounzip
    sha256 "@LOCK_SHA256@"
  end

  def install
    system Formula["python@3.13"].opt_bin/"python3.13", "-m", "venv", libexec
    pip = [libexec/"bin/python", "-m", "pip", "install", "--no-cache-dir"]
    resource("requirements").stage { system(*pip, "--require-hashes", "--requirement", "requirements.lock") }
    system(*pip, "--no-deps", "@WHEEL@")
    bin.install_symlink libexec/"bin/memotheca"
    generate_completions_from_executable(bin/"memotheca", "completion")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/memotheca version")
    system bin/"memotheca", "--data", testpath/"data", "remember", "We release on Tuesdays."
  end
end
