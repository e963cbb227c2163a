"""Builds the binding with CMake: the library's sources are in the folder above this one.

PEGASOS_BINDING names a binding that CMake has built already (build/release/python/pegasos/_core*.so), to be packed as it is.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent


def version():
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"project\(pegasos VERSION ([0-9.]+)", text).group(1)


class CMakeBuild(build_ext):
    def build_extension(self, extension):
        target = pathlib.Path(self.get_ext_fullpath(extension.name)).resolve()
        built = os.environ.get("PEGASOS_BINDING") or self.build_with_cmake()
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(built, target)
        # Symbols of the library's insides and the paths of this machine have no place in a wheel.
        if shutil.which("strip"):
            subprocess.run(["strip", "--strip-unneeded", str(target)], check=True)

    def build_with_cmake(self):
        build = pathlib.Path(self.build_temp).resolve() / "cmake"
        configure = ["cmake", "-S", str(ROOT), "-B", str(build), "-DCMAKE_BUILD_TYPE=Release",
                     "-DPEGASOS_BUILD_TESTS=OFF", "-DPEGASOS_BUILD_CLI=OFF", "-DPEGASOS_BUILD_PYTHON=ON",
                     f"-DPEGASOS_PYTHON={sys.executable}"]
        if shutil.which("ninja"):
            configure += ["-G", "Ninja"]
        subprocess.run(configure, check=True)
        subprocess.run(["cmake", "--build", str(build), "--target", "pegasos_python", "--parallel",
                        str(os.cpu_count() or 1)], check=True)
        return next((build / "python" / "pegasos").glob("_core.*"))


setup(version=version(), ext_modules=[Extension("pegasos._core", sources=[])], cmdclass={"build_ext": CMakeBuild})
